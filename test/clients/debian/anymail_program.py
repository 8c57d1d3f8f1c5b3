"""Anymail's Mailgun backend and webhook view, unmodified, in a Django without a project. Prints what each came to."""
import json
import os
import sys

given = json.load(sys.stdin)
os.environ["REQUESTS_CA_BUNDLE"] = given.get("trust", "")

import django
from django.conf import settings

settings.configure(
    ALLOWED_HOSTS=["*"],
    USE_TZ=True,
    EMAIL_BACKEND="anymail.backends.mailgun.EmailBackend",
    ANYMAIL={
        "MAILGUN_API_KEY": given.get("key", ""),
        "MAILGUN_API_URL": given.get("url", "") + "/v3",
        "MAILGUN_SENDER_DOMAIN": given.get("domain", ""),
        "MAILGUN_WEBHOOK_SIGNING_KEY": given.get("signingKey", ""),
    },
)
django.setup()

from anymail.exceptions import AnymailError
from anymail.message import attach_inline_image
from anymail.signals import tracking
from anymail.webhooks.mailgun import MailgunTrackingWebhookView
from django.core.exceptions import SuspiciousOperation
from django.core.mail import EmailMultiAlternatives, get_connection
from django.test import RequestFactory


def message(name, domain):
    mail = EmailMultiAlternatives(
        subject=f"anymail {name} – ünïcode ✓",
        body="Hello Jörg,\n.a dot\n",
        from_email=f"Acme Größe <shop@{domain}>",
        to=[f'"Doe, Jane" <{name}@in.test>'],
        cc=[f"{name}-cc@in.test"],
        bcc=[f"{name}-bcc@in.test"],
        reply_to=["replies@in.test"],
        headers={"X-Order": "4711"},
    )
    cid = attach_inline_image(mail, b"\x89PNG\r\n\x1a\n\x00\xff", "logo.png")
    mail.attach_alternative(f'<p>Hello <img src="cid:{cid}"></p>', "text/html")
    mail.attach("Übersicht 2026.pdf", "größe\r\n".encode() * 20000, "application/pdf")
    mail.tags = ["autumn", "shop"]
    mail.metadata = {"order": "4711"}
    return mail


def batch(domain):
    mail = EmailMultiAlternatives(
        subject="Dear %recipient.name%",
        body="Your number is %recipient.number%.",
        from_email=f"shop@{domain}",
        to=["ann@in.test", "ben@in.test"],
    )
    mail.merge_data = {"ann@in.test": {"name": "Ann"}, "ben@in.test": {"name": "Ben"}}
    mail.merge_global_data = {"number": "7"}
    return mail


def outcome(mail, **options):
    mail.connection = get_connection(**options)
    try:
        mail.send()
    except AnymailError as error:
        return {"error": str(error), "status": getattr(error, "status_code", None)}
    status = mail.anymail_status
    return {"id": status.message_id, "status": sorted(status.status)}


def sent():
    domain = given["domain"]
    return {
        "message": outcome(message("message", domain)),
        "batch": outcome(batch(domain)),
        "badKey": outcome(message("never", domain), api_key="wrong"),
        "badDomain": outcome(message("never", domain), sender_domain="elsewhere.test"),
    }


def heard():
    """Each webhook through the view, as Django's server would hand it in."""
    events = []

    def note(sender, event, esp_name, **kwargs):
        events.append(
            {
                "type": event.event_type,
                "recipient": event.recipient,
                "id": event.message_id,
                "tags": event.tags,
                "metadata": event.metadata,
                "rejectReason": event.reject_reason,
                "answer": event.mta_response,
                "timestamp": event.timestamp.isoformat(),
            }
        )

    tracking.connect(note)
    view = MailgunTrackingWebhookView.as_view()
    refused = 0
    for body in given["webhooks"]:
        try:
            view(RequestFactory().post("/hook", data=body, content_type="application/json"))
        except SuspiciousOperation:
            refused += 1
    return {"events": events, "refused": refused}


print(json.dumps(heard() if "webhooks" in given else sent()))
