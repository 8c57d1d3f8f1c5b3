/** A message of the load as the HTTP request that hands it in. */
import type { Mail } from './mail.ts'
import { SENDING_DOMAIN } from './mail.ts'

export interface HttpSubmission {
  path: string
  headers: Record<string, string>
  body: Buffer
  /** The beginning of the answer to an accepted request. */
  accepted: RegExp
}

const ACCEPTED = /^\{"id":"/

/** `dueAt`: Unix ms for a message with a delay, on the clock of the service. */
export function submissionOf(mail: Mail, token: string, dueAt: number | null): HttpSubmission {
  const request = mail.dialect === 'json' ? jsonOf(mail, token, dueAt) : formOf(mail, token, dueAt)
  request.headers['Content-Length'] = String(request.body.length)
  return request
}

function jsonOf(mail: Mail, token: string, dueAt: number | null): HttpSubmission {
  const { from, to, cc, bcc, subject, text, html, files } = mail
  const body = JSON.stringify({
    from,
    to: to.length === 1 ? to[0] : to,
    ...(cc.length > 0 && { cc }),
    ...(bcc.length > 0 && { bcc }),
    subject,
    text,
    ...(html !== null && { html }),
    ...(files.length > 0 && {
      attachments: files.map(({ name, type, content }) => ({
        filename: name,
        content_type: type,
        content: content.toString('base64'),
      })),
    }),
    ...(dueAt !== null && { scheduled_at: new Date(dueAt).toISOString() }),
    tags: [{ name: 'number', value: String(mail.number) }],
  })
  return {
    path: '/emails',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      ...(mail.keyed && { 'Idempotency-Key': `chaos-${mail.number}` }),
    },
    body: Buffer.from(body),
    accepted: ACCEPTED,
  }
}

function formOf(mail: Mail, token: string, dueAt: number | null): HttpSubmission {
  const fields: [string, string][] = mail.to.map((to) => ['to', to])
  if (mail.mime === null) {
    fields.push(['from', mail.from], ['subject', mail.subject], ['text', mail.text])
    fields.push(...mail.cc.map((cc): [string, string] => ['cc', cc]))
    fields.push(...mail.bcc.map((bcc): [string, string] => ['bcc', bcc]))
    if (mail.html !== null) fields.push(['html', mail.html])
    if (mail.variables !== null) fields.push(['recipient-variables', JSON.stringify(mail.variables)])
  }
  if (dueAt !== null) fields.push(['o:deliverytime', String(dueAt / 1000)])
  fields.push(['v:number', String(mail.number)])
  const headers: Record<string, string> = {
    Authorization: `Basic ${Buffer.from(`api:${token}`).toString('base64')}`,
  }
  const path = `/v3/${SENDING_DOMAIN}/messages${mail.mime === null ? '' : '.mime'}`
  const files = mail.files.map((file) => ({ field: 'attachment', ...file }))
  if (mail.mime !== null) {
    files.push({ field: 'message', name: 'message.eml', type: 'message/rfc822', content: mail.mime })
  }
  if (files.length === 0 && mail.number % 2 === 0) {
    headers['Content-Type'] = 'application/x-www-form-urlencoded'
    return { path, headers, body: Buffer.from(new URLSearchParams(fields).toString()), accepted: ACCEPTED }
  }
  const boundary = `----chaos${mail.number}boundary`
  headers['Content-Type'] = `multipart/form-data; boundary=${boundary}`
  const chunks: Buffer[] = []
  for (const [name, value] of fields) {
    chunks.push(
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    )
  }
  for (const { field, name, type, content } of files) {
    const disposition = `form-data; name="${field}"; filename="${name}"`
    chunks.push(
      Buffer.from(`--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n`),
      content,
      Buffer.from('\r\n'),
    )
  }
  chunks.push(Buffer.from(`--${boundary}--\r\n`))
  return { path, headers, body: Buffer.concat(chunks), accepted: ACCEPTED }
}
