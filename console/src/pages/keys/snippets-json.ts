/** Snippets for clients of the JSON dialect, each with its way to set the base URL. */
import { BODY, oneFile, type Snippet, type SnippetValues, SUBJECT } from './snippet.ts'

export function jsonSnippets({ url, token, domain, to }: SnippetValues): Snippet[] {
  const from = `hello@${domain}`
  const group = 'Resend SDKs'
  return [
    oneFile({
      id: 'curl',
      label: 'curl',
      group: 'HTTP',
      install: null,
      name: null,
      text: `curl --silent --show-error --fail-with-body '${url}/emails' \\
  --header 'Authorization: Bearer ${token}' \\
  --header 'Content-Type: application/json' \\
  --data '{
    "from": "${from}",
    "to": "${to}",
    "subject": "${SUBJECT}",
    "text": "${BODY}"
  }'
`,
    }),
    oneFile({
      id: 'resend-node',
      label: 'Node.js',
      group,
      install: 'npm install resend',
      name: 'send.mjs',
      text: `import { Resend } from 'resend'

const resend = new Resend('${token}', { baseUrl: '${url}' })

const { data, error } = await resend.emails.send({
  from: '${from}',
  to: '${to}',
  subject: '${SUBJECT}',
  text: '${BODY}',
})
if (error) throw new Error(error.message)
console.log(data.id)
`,
      note: 'Versions before 6.12.4 take the URL from the environment variable RESEND_BASE_URL instead.',
    }),
    oneFile({
      id: 'resend-python',
      label: 'Python',
      group,
      install: 'pip install resend',
      name: 'send.py',
      text: `import resend

resend.api_key = "${token}"
resend.api_url = "${url}"

sent = resend.Emails.send({
    "from": "${from}",
    "to": ["${to}"],
    "subject": "${SUBJECT}",
    "text": "${BODY}",
})
print(sent["id"])
`,
    }),
    oneFile({
      id: 'resend-php',
      label: 'PHP',
      group,
      install: 'composer require resend/resend-php',
      name: 'send.php',
      text: `<?php
require __DIR__ . '/vendor/autoload.php';

putenv('RESEND_BASE_URL=${url}');
$resend = Resend::client('${token}');

$sent = $resend->emails->send([
    'from' => '${from}',
    'to' => ['${to}'],
    'subject' => '${SUBJECT}',
    'text' => '${BODY}',
]);
echo $sent->toJson(), PHP_EOL;
`,
    }),
    oneFile({
      id: 'resend-ruby',
      label: 'Ruby',
      group,
      install: 'gem install resend',
      name: 'send.rb',
      text: `ENV['RESEND_BASE_URL'] = '${url}/'
require 'resend'

Resend.api_key = '${token}'
sent = Resend::Emails.send({
  from: '${from}',
  to: ['${to}'],
  subject: '${SUBJECT}',
  text: '${BODY}'
})
puts sent
`,
      note: 'The gem reads the variable when it is loaded. The URL has to end with a slash.',
    }),
    oneFile({
      id: 'resend-go',
      label: 'Go',
      group,
      install: 'go get github.com/resend/resend-go/v3',
      name: 'main.go',
      text: `package main

import (
	"fmt"
	"log"
	"net/url"

	"github.com/resend/resend-go/v3"
)

func main() {
	base, err := url.Parse("${url}/")
	if err != nil {
		log.Fatal(err)
	}
	client := resend.NewClient("${token}")
	client.BaseURL = base

	sent, err := client.Emails.Send(&resend.SendEmailRequest{
		From:    "${from}",
		To:      []string{"${to}"},
		Subject: "${SUBJECT}",
		Text:    "${BODY}",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(sent.Id)
}
`,
    }),
  ]
}
