"""How schemathesis writes the JSON lines that some requests take: a schema describes one line."""

import json

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def json_lines(context, value):
    return value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n"
