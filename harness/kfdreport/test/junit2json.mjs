// node junit2json.mjs FILE TESTS FAILURES SKIPPED: what the parser must find, by its cases and by the suites' counts.
import { readFile } from 'node:fs/promises';
import { parse } from 'junit2json';

const [file, ...expected] = process.argv.slice(2);
const root = await parse(await readFile(file, 'utf8'));
const cases = root.testsuite.flatMap((suite) => suite.testcase ?? []);
const found = [cases, cases.filter((one) => one.failure), cases.filter((one) => one.skipped)].map((list) => list.length);
const sum = (name) => root.testsuite.reduce((total, suite) => total + Number(suite[name]), 0);
const counted = ['tests', 'failures', 'skipped'].map(sum);
const machine = root.testsuite[0].properties?.find((property) => property.name === 'machine')?.value;
const rules = cases.filter((one) => one['system-out']?.join('').includes('[[PROPERTY|rule=')).length;
console.log(`cases ${found}, counts ${counted}, machine ${machine}, ${rules} cases with rules`);
const right = String(found) === String(expected) && String(counted) === String(expected) && machine && rules > 0;
process.exit(right ? 0 : 1);
