/** Snippets for web frameworks: over HTTPS if their clients require it, otherwise over SMTP. */
import { BODY, oneFile, type Snippet, type SnippetValues, SUBJECT } from './snippet.ts'

export function frameworkSnippets(ways: SnippetValues): Snippet[] {
  return [...laravel(ways), ...symfony(ways), django(ways)]
}

/**
 * Symfony's transport, which Laravel uses too, supports only HTTPS, and takes a host and a port but no path.
 */
function secureHost(url: string): string | null {
  const { protocol, host, pathname } = new URL(url)
  return protocol === 'https:' && pathname === '/' ? host : null
}

function laravel({ url, token, domain, smtp }: SnippetValues): Snippet[] {
  const host = secureHost(url)
  const base = { id: 'laravel', label: 'Laravel', group: 'Frameworks' } as const
  const from = `MAIL_FROM_ADDRESS=hello@${domain}\n`
  if (host !== null) {
    return [
      {
        ...base,
        install: 'composer require symfony/mailgun-mailer symfony/http-client',
        files: [
          {
            name: '.env',
            text: `MAIL_MAILER=mailgun
MAILGUN_DOMAIN=${domain}
MAILGUN_SECRET=${token}
MAILGUN_ENDPOINT=${host}
${from}`,
          },
          {
            name: 'config/services.php, in its array',
            text: `'mailgun' => [
    'domain' => env('MAILGUN_DOMAIN'),
    'secret' => env('MAILGUN_SECRET'),
    'endpoint' => env('MAILGUN_ENDPOINT'),
    'scheme' => 'https',
],
`,
          },
          {
            name: "config/mail.php, among 'mailers'",
            text: `'mailgun' => [
    'transport' => 'mailgun',
],
`,
          },
        ],
        note: 'Laravel 9 and later. Applications from earlier versions already have both arrays.',
      },
    ]
  }
  return [
    oneFile({
      ...base,
      install: null,
      overSmtp: true,
      name: '.env',
      text: `MAIL_MAILER=smtp
MAIL_SCHEME=${smtp.security === 'tls' ? 'smtps' : 'smtp'}
MAIL_HOST=${smtp.host}
MAIL_PORT=${smtp.port}
MAIL_USERNAME=${smtp.login ? 'api' : 'null'}
MAIL_PASSWORD=${smtp.login ? token : 'null'}
${from}`,
      note: 'Laravel 11 and later.',
    }),
  ]
}

function symfony({ url, token, domain, to, smtp }: SnippetValues): Snippet[] {
  const host = secureHost(url)
  const login = smtp.login ? `api:${token}@` : ''
  const dsn =
    host !== null
      ? `mailgun+https://${token}:${domain}@${host}`
      : `${smtp.security === 'tls' ? 'smtps' : 'smtp'}://${login}${smtp.host}:${smtp.port}`
  return [
    oneFile({
      id: 'symfony',
      label: 'Symfony Mailer',
      group: 'Frameworks',
      ...(host === null && { overSmtp: true }),
      install:
        host === null
          ? 'composer require symfony/mailer'
          : 'composer require symfony/mailer symfony/mailgun-mailer symfony/http-client',
      name: 'send.php',
      text: `<?php
require __DIR__ . '/vendor/autoload.php';

use Symfony\\Component\\Mailer\\Mailer;
use Symfony\\Component\\Mailer\\Transport;
use Symfony\\Component\\Mime\\Email;

$mailer = new Mailer(Transport::fromDsn('${dsn}'));

$mailer->send(
    (new Email())
        ->from('hello@${domain}')
        ->to('${to}')
        ->subject('${SUBJECT}')
        ->text('${BODY}')
);
`,
      note: 'In a Symfony application, set MAILER_DSN to the text passed to fromDsn.',
    }),
  ]
}

function django({ url, token, domain, to }: SnippetValues): Snippet {
  return {
    id: 'django',
    label: 'Django (Anymail)',
    group: 'Frameworks',
    install: 'pip install django-anymail',
    files: [
      {
        name: 'settings.py',
        text: `EMAIL_BACKEND = "anymail.backends.mailgun.EmailBackend"
ANYMAIL = {
    "MAILGUN_API_URL": "${url}/v3",
    "MAILGUN_API_KEY": "${token}",
    "MAILGUN_SENDER_DOMAIN": "${domain}",
}
DEFAULT_FROM_EMAIL = "hello@${domain}"
`,
      },
      {
        name: 'anywhere',
        text: `from django.core.mail import send_mail

send_mail("${SUBJECT}", "${BODY}", None, ["${to}"])
`,
      },
    ],
  }
}
