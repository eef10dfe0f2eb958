#!/usr/bin/env python3
"""usage: validate.py SCHEMA REPORT...   Exits with 1 unless every report fits the schema and has no key beyond it."""
import json, sys

import jsonschema


def closed(node):
    """The schema with every object closed: readers may meet new keys, this version writes none."""
    if isinstance(node, dict):
        node = {key: closed(value) for key, value in node.items()}
        if node.get("additionalProperties") is True:
            node["additionalProperties"] = False
        return node
    return [closed(item) for item in node] if isinstance(node, list) else node


schema = closed(json.load(open(sys.argv[1])))
jsonschema.Draft7Validator.check_schema({k: v for k, v in schema.items() if k != "$schema"})
newest = getattr(jsonschema, "Draft202012Validator", jsonschema.Draft7Validator)
for path in sys.argv[2:]:
    newest(schema).validate(json.load(open(path)))
