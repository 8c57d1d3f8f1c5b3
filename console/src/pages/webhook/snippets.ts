/**
 * Code that verifies the signature of a webhook message. It runs unchanged, with the secret in the
 * environment.
 */
import type { WebhookJson } from '../../../../src/http/console/contract/webhooks.ts'

interface WebhookSnippet {
  name: string
  language: string
  /** Takes `body`, the raw text of the request, and `headers`. */
  code: string
}

const svix = `// npm install svix
import { Webhook } from 'svix'

/** Throws when the message is not from your mail service. */
export function verified(body, headers) {
  return new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers)
}
`

const standard = `// npm install standardwebhooks
import { Webhook } from 'standardwebhooks'

/** Throws when the message is not from your mail service. */
export function verified(body, headers) {
  return new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers)
}
`

const resend = `// npm install resend
import { Resend } from 'resend'

const resend = new Resend('re_unused')

/** Throws when the message is not from your mail service. */
export function verified(body, headers) {
  return resend.webhooks.verify({
    payload: body,
    headers: {
      id: headers['svix-id'],
      timestamp: headers['svix-timestamp'],
      signature: headers['svix-signature'],
    },
    webhookSecret: process.env.WEBHOOK_SECRET,
  })
}
`

const python = `import base64, hashlib, hmac, json, os, time

def verified(body: str, headers: dict) -> dict:
    """Raises ValueError when the message is not from your mail service."""
    key = base64.b64decode(os.environ["WEBHOOK_SECRET"].removeprefix("whsec_"))
    stamp = headers["webhook-timestamp"]
    signed = f"{headers['webhook-id']}.{stamp}.{body}".encode()
    wanted = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers["webhook-signature"].split(" ")
    if not any(hmac.compare_digest(each, wanted) for each in given):
        raise ValueError("the signature is wrong")
    if abs(time.time() - int(stamp)) > 300:
        raise ValueError("the message is old")
    return json.loads(body)
`

const formNode = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** Throws when the message is not from your mail service. */
export function verified(body) {
  const { signature: given, 'event-data': event } = JSON.parse(body)
  const wanted = createHmac('sha256', process.env.WEBHOOK_SECRET)
    .update(given.timestamp + given.token)
    .digest()
  const signature = Buffer.from(given.signature, 'hex')
  if (signature.length !== wanted.length || !timingSafeEqual(signature, wanted)) {
    throw new Error('the signature is wrong')
  }
  if (Math.abs(Date.now() / 1000 - given.timestamp) > 300) throw new Error('the message is old')
  return event
}
`

const formPython = `import hashlib, hmac, json, os, time

def verified(body: str, headers: dict) -> dict:
    """Raises ValueError when the message is not from your mail service."""
    message = json.loads(body)
    given = message["signature"]
    signed = (given["timestamp"] + given["token"]).encode()
    wanted = hmac.new(os.environ["WEBHOOK_SECRET"].encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(given["signature"], wanted):
        raise ValueError("the signature is wrong")
    if abs(time.time() - int(given["timestamp"])) > 300:
        raise ValueError("the message is old")
    return message["event-data"]
`

export const SNIPPETS: Readonly<Record<WebhookJson['dialect'], readonly WebhookSnippet[]>> = {
  json: [
    { name: 'Svix', language: 'javascript', code: svix },
    { name: 'Standard Webhooks', language: 'javascript', code: standard },
    { name: 'Resend', language: 'javascript', code: resend },
    { name: 'Python', language: 'python', code: python },
  ],
  form: [
    { name: 'Node.js', language: 'javascript', code: formNode },
    { name: 'Python', language: 'python', code: formPython },
  ],
}
