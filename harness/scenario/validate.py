#!/usr/bin/python3
"""Says which scenario files differ from the JSON schema: validate.py SCHEMA [--bad] FILE…

Ends 1 where a file is not valid; with --bad where one is. Numbers, texts and booleans are YAML 1.1's,
as in most editors."""
import json
import sys

import jsonschema
import yaml


def main(arguments):
    schema = json.load(open(arguments[0], encoding="utf-8"))
    want_bad = arguments[1:2] == ["--bad"]
    files = arguments[2 if want_bad else 1:]
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    wrong = 0
    for file in files:
        error = jsonschema.exceptions.best_match(
            validator.iter_errors(yaml.safe_load(open(file, encoding="utf-8"))))
        if (error is not None) == want_bad:
            continue
        wrong += 1
        print(f"{file}: " + ("valid" if want_bad else f"{error.json_path}: {error.message}"))
    print(f"{len(files)} files, {wrong} wrong")
    return 1 if wrong or not files else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
