// html_browser.mjs BROWSER FOLDER: looks at FOLDER/one.html and FOLDER/all.html as a person would. Exit code 1 and what
// is wrong where something is.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import puppeteer from "puppeteer-core";

const [browserFile, folder] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
// Chromium as root wants no sandbox; the pages come from the test itself.
const browser = await puppeteer.launch({ executablePath: browserFile, args: ["--no-sandbox"], headless: true });

// A page that must not complain or fetch anything but itself.
const open = async (name, { width = 1280, scheme = "light", script = true } = {}) => {
  const page = await browser.newPage();
  const url = "file://" + folder + "/" + name;
  page.on("console", (message) => assert.fail(name + ": " + message.text()));
  page.on("pageerror", (error) => assert.fail(name + ": " + error.message));
  page.on("request", (request) => assert.equal(request.url().split("#")[0], url));
  await page.setJavaScriptEnabled(script);
  await page.setViewport({ width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(url);
  return page;
};
const unfold = (page) =>
  page.evaluate(() => document.querySelectorAll("details").forEach((details) => (details.open = true)));
const shown = (page) =>
  page.$$eval(".f", (all) => all.filter((item) => item.closest("[hidden]") === null).map((item) => item.textContent));
const fits = async (page, what) => {
  const [content, window] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    document.documentElement.clientWidth,
  ]);
  assert.ok(content <= window, `${what}: ${content} pixels in a window of ${window}`);
};

for (const name of ["one.html", "all.html"]) {
  for (const width of [1280, 390, 360]) {
    for (const scheme of ["light", "dark"]) {
      const page = await open(name, { width, scheme });
      const what = `${name} at ${width}, ${scheme}`;
      await fits(page, what);
      await page.screenshot({ path: `${folder}/${name}-${width}-${scheme}.png` });
      await unfold(page);
      await fits(page, what + ", unfolded");
      assert.equal(await page.evaluate(() => window.broken), undefined);
      await page.evaluate(axe);
      const found = await page.evaluate(() => window.axe.run());
      const bad = found.violations.filter((one) => ["serious", "critical"].includes(one.impact));
      assert.deepEqual(bad.map((one) => [one.id, one.nodes.map((node) => node.html).slice(0, 3)]), [], what);
      console.log(`${what}: ${found.passes.length} rules of axe hold, not serious: ` +
        (found.violations.map((one) => one.id).join(", ") || "none"));
      await page.close();
    }
  }
}

{ // The filter, and what it leaves.
  const page = await open("one.html");
  const all = (await shown(page)).length;
  assert.ok(all > 15, `${all} entries`);
  await page.type("#words", "PRINTED bug-42");
  let left = await shown(page);
  assert.equal(left.length, 1);
  assert.match(left[0], /^fail Prefetch\.Moves/);
  assert.equal(await page.$eval("#matches", (node) => node.textContent), `1 of ${all} entries`);
  assert.equal(await page.$eval("section[aria-labelledby=tests]", (node) => node.hidden), true);
  await page.$eval("#words", (box) => { box.value = ""; box.dispatchEvent(new Event("input")); });
  assert.equal((await shown(page)).length, all);
  assert.equal(await page.$eval("section[aria-labelledby=tests] details", (node) => node.open), false);
  // A test is also found by its rule, which its row does not show.
  await page.type("#words", "again pre-9");
  assert.ok((await shown(page)).some((text) => text.startsWith("passAgain gpu0 gpu1")));
  await page.$eval("#words", (box) => { box.value = ""; box.dispatchEvent(new Event("input")); });
  await page.select("#verdict", "timeout");
  left = await shown(page);
  assert.equal(left.length, 2, left.join("; "));
  assert.ok(left.every((text) => text.includes("Hangs")), left.join("; "));
  // A link to what is filtered away brings it back.
  await page.evaluate(() => { location.hash = "#rule-PRE-1"; });
  await page.waitForFunction(() => document.querySelector("#rule-PRE-1").closest("[hidden]") === null);
  assert.equal((await shown(page)).length, all);
  await page.close();
}

{ // Without the script nothing is missing but the filter.
  const page = await open("one.html", { script: false });
  const text = await (await page.$("body")).evaluate((body) => [body.innerText,
    body.querySelector("#filter").getClientRects().length, body.querySelector("svg.ranges").getClientRects().length]);
  assert.match(text[0], /4 of 11 tests failed\./);
  assert.equal(text[1], 0);
  assert.equal(text[2], 1);
  await page.close();
}

{ // The bars are where the numbers say.
  const page = await open("one.html");
  await unfold(page);
  const [svg, gpu] = await page.$$eval("svg.ranges", (all) => {
    const box = all[1].getBoundingClientRect();
    return [[box.x, box.width], all[1].querySelector(".gpu").getBoundingClientRect().toJSON()];
  });
  assert.ok(Math.abs(gpu.x - svg[0] - svg[1] / 4) < 1, `${gpu.x} of ${svg}`);
  assert.ok(Math.abs(gpu.width - svg[1] / 4) < 1, `${gpu.width} of ${svg}`);
  await page.close();
}

await browser.close();
console.log("screenshots: " + folder);
