"""Reads address fields of messages with both parsers of Python's standard library.

Standard input: one JSON object a line, {"raw": base64 of a message, "field": name}. Standard output: for each one a line,
{reader: [address, ...]}. A reader that fails has read nobody.
"""

import base64
import email
import email.policy
import email.utils
import json
import sys
from email.header import decode_header, make_header


def of_legacy(message, field):
    return [address for _, address in email.utils.getaddresses(message.get_all(field, []))]


def first_of_legacy(message, field):
    return [email.utils.parseaddr(str(message[field]))[1]]


def decoded_before_parsed(message, field):
    """What many programs do: decode the field, then look for addresses."""
    values = [str(make_header(decode_header(value))) for value in message.get_all(field, [])]
    return [address for _, address in email.utils.getaddresses(values)]


def of_modern(message, field):
    return [address.addr_spec for value in message.get_all(field, []) for address in value.addresses]


def read(reader, message, field):
    try:
        return [address for address in reader(message, field) if address]
    except Exception:
        return []


for line in sys.stdin:
    task = json.loads(line)
    raw = base64.b64decode(task["raw"])
    legacy = email.message_from_bytes(raw)
    modern = email.message_from_bytes(raw, policy=email.policy.default)
    answer = {
        "python getaddresses": read(of_legacy, legacy, task["field"]),
        "python parseaddr": read(first_of_legacy, legacy, task["field"]),
        "python, decoded before it is parsed": read(decoded_before_parsed, legacy, task["field"]),
        "python email.policy.default": read(of_modern, modern, task["field"]),
    }
    print(json.dumps(answer))
