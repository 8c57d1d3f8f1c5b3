/** Snippets for SMTP clients: any user name works, and the password, where one is needed, is the API key. */
import { BODY, oneFile, type SmtpHost, type Snippet, type SnippetValues, SUBJECT } from './snippet.ts'

export function smtpSnippets(ways: SnippetValues): Snippet[] {
  return snippets(ways).map((snippet) => ({ ...snippet, overSmtp: true }))
}

function snippets({ token, domain, to, smtp }: SnippetValues): Snippet[] {
  const { host, port, security, login } = smtp
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
${security === 'starttls' ? '    --ssl-reqd \\\n' : ''}${login ? `    --user 'api:${token}' \\\n` : ''}    --mail-from '${from}' \\
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
  secure: ${security === 'tls'},${security === 'starttls' ? '\n  requireTLS: true,' : ''}${login ? `\n  auth: { user: 'api', pass: '${token}' },` : ''}
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
      text: python({ token, from, to, ...smtp }),
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
${login ? `EMAIL_HOST_USER = "api"\nEMAIL_HOST_PASSWORD = "${token}"\n` : ''}DEFAULT_FROM_EMAIL = "${from}"
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

interface PythonParts extends SmtpHost {
  token: string
  from: string
  to: string
}

/** Passes an SSL context, without which the library accepts any certificate. */
function python({ token, from, to, host, port, security, login }: PythonParts): string {
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
${security === 'starttls' ? '    smtp.starttls(context=ssl.create_default_context())\n' : ''}${login ? `    smtp.login("api", "${token}")\n` : ''}    smtp.send_message(message)
`
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
