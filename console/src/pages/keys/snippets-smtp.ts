/** Snippets for SMTP clients: any user name works, and the password is the API key. */
import { BODY, oneFile, type Snippet, SUBJECT, type Ways } from './snippet.ts'

export function smtpSnippets({ token, domain, to, smtp }: Ways): Snippet[] {
  if (smtp === null) return []
  const { host, port, security } = smtp
  const from = `hello@${domain}`
  return [
    oneFile({
      id: 'smtp-curl',
      label: 'curl',
      group: 'SMTP',
      install: null,
      name: null,
      text: `printf 'From: ${from}\\r\\nTo: ${to}\\r\\nSubject: ${SUBJECT}\\r\\n\\r\\n${BODY}\\r\\n' |
  curl --silent --show-error '${security === 'tls' ? 'smtps' : 'smtp'}://${bracketed(host)}:${port}' \\
${security === 'starttls' ? '    --ssl-reqd \\\n' : ''}    --user 'api:${token}' \\
    --mail-from '${from}' \\
    --mail-rcpt '${to}' \\
    --upload-file -
`,
    }),
    oneFile({
      id: 'nodemailer-smtp',
      label: 'Nodemailer',
      group: 'SMTP',
      install: 'npm install nodemailer',
      name: 'send.mjs',
      text: `import { createTransport } from 'nodemailer'

const mailer = createTransport({
  host: '${host}',
  port: ${port},
  secure: ${security === 'tls'},${security === 'starttls' ? '\n  requireTLS: true,' : ''}
  auth: { user: 'api', pass: '${token}' },
})

const sent = await mailer.sendMail({
  from: '${from}',
  to: '${to}',
  subject: '${SUBJECT}',
  text: '${BODY}',
})
console.log(sent.response)
`,
    }),
    oneFile({
      id: 'smtp-python',
      label: 'Python',
      group: 'SMTP',
      install: null,
      name: 'send.py',
      text: python({ token, from, to, host, port, security }),
    }),
    {
      id: 'django-smtp',
      label: 'Django',
      group: 'SMTP',
      install: null,
      files: [
        {
          name: 'settings.py',
          text: `EMAIL_HOST = "${host}"
EMAIL_PORT = ${port}
EMAIL_USE_SSL = ${security === 'tls' ? 'True' : 'False'}
EMAIL_USE_TLS = ${security === 'starttls' ? 'True' : 'False'}
EMAIL_HOST_USER = "api"
EMAIL_HOST_PASSWORD = "${token}"
DEFAULT_FROM_EMAIL = "${from}"
`,
        },
        {
          name: 'anywhere',
          text: `from django.core.mail import send_mail

send_mail("${SUBJECT}", "${BODY}", None, ["${to}"])
`,
        },
      ],
    },
  ]
}

interface SmtpSettings {
  token: string
  from: string
  to: string
  host: string
  port: number
  security: 'tls' | 'starttls' | 'none'
}

/** Passes an SSL context, without which the library accepts any certificate. */
function python({ token, from, to, host, port, security }: SmtpSettings): string {
  const opened =
    security === 'tls'
      ? `smtplib.SMTP_SSL("${host}", ${port}, context=ssl.create_default_context())`
      : `smtplib.SMTP("${host}", ${port})`
  return `import smtplib${security === 'none' ? '' : '\nimport ssl'}
from email.message import EmailMessage

message = EmailMessage()
message["From"] = "${from}"
message["To"] = "${to}"
message["Subject"] = "${SUBJECT}"
message.set_content("${BODY}")

with ${opened} as smtp:
${security === 'starttls' ? '    smtp.starttls(context=ssl.create_default_context())\n' : ''}    smtp.login("api", "${token}")
    smtp.send_message(message)
`
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
