/** Snippets for clients of the form dialect. */
import { BODY, oneFile, type Snippet, type SnippetValues, SUBJECT } from './snippet.ts'

export function mailgunSnippets({ url, token, domain, to }: SnippetValues): Snippet[] {
  const from = `hello@${domain}`
  const group = 'Mailgun clients'
  return [
    oneFile({
      id: 'curl-form',
      label: 'curl (form)',
      group: 'HTTP',
      install: null,
      name: null,
      text: `curl --silent --show-error --fail-with-body '${url}/v3/${domain}/messages' \\
  --user 'api:${token}' \\
  --form from='${from}' \\
  --form to='${to}' \\
  --form subject='${SUBJECT}' \\
  --form text='${BODY}'
`,
    }),
    oneFile({
      id: 'mailgun-js',
      label: 'mailgun.js',
      group,
      install: 'npm install mailgun.js form-data',
      name: 'send.mjs',
      text: `import FormData from 'form-data'
import Mailgun from 'mailgun.js'

const mailgun = new Mailgun(FormData).client({
  username: 'api',
  key: '${token}',
  url: '${url}',
})

const sent = await mailgun.messages.create('${domain}', {
  from: '${from}',
  to: ['${to}'],
  subject: '${SUBJECT}',
  text: '${BODY}',
})
console.log(sent.id)
`,
    }),
    oneFile({
      id: 'mailgun-python',
      label: 'Python (requests)',
      group,
      install: 'pip install requests',
      name: 'send.py',
      text: `import requests

answer = requests.post(
    "${url}/v3/${domain}/messages",
    auth=("api", "${token}"),
    data={
        "from": "${from}",
        "to": ["${to}"],
        "subject": "${SUBJECT}",
        "text": "${BODY}",
    },
)
answer.raise_for_status()
print(answer.json()["id"])
`,
    }),
    oneFile({
      id: 'mailgun-php',
      label: 'PHP',
      group,
      install: 'composer require mailgun/mailgun-php symfony/http-client nyholm/psr7',
      name: 'send.php',
      text: `<?php
require __DIR__ . '/vendor/autoload.php';

use Mailgun\\Mailgun;

$mailgun = Mailgun::create('${token}', '${url}');

$sent = $mailgun->messages()->send('${domain}', [
    'from' => '${from}',
    'to' => '${to}',
    'subject' => '${SUBJECT}',
    'text' => '${BODY}',
]);
echo $sent->getId(), PHP_EOL;
`,
    }),
    oneFile({
      id: 'nodemailer-http',
      label: 'Nodemailer',
      group,
      install: 'npm install nodemailer nodemailer-mailgun-transport',
      name: 'send.mjs',
      text: `import { createTransport } from 'nodemailer'
import mailgunTransport from 'nodemailer-mailgun-transport'

const mailer = createTransport(
  mailgunTransport({
    auth: { api_key: '${token}', domain: '${domain}' },
    url: '${url}',
  }),
)

const sent = await mailer.sendMail({
  from: '${from}',
  to: '${to}',
  subject: '${SUBJECT}',
  text: '${BODY}',
})
console.log(sent.messageId)
`,
    }),
  ]
}
