<?php
// Symfony Mailer's transports for Mailgun, unmodified: API, MIME and SMTP. Prints what each call came to.
require 'Symfony/Component/Mailer/Bridge/Mailgun/autoload.php';
require 'Symfony/Component/HttpClient/autoload.php';

use Symfony\Component\HttpClient\HttpClient;
use Symfony\Component\Mailer\Bridge\Mailgun\Transport\MailgunApiTransport;
use Symfony\Component\Mailer\Bridge\Mailgun\Transport\MailgunHttpTransport;
use Symfony\Component\Mailer\Bridge\Mailgun\Transport\MailgunSmtpTransport;
use Symfony\Component\Mailer\Header\MetadataHeader;
use Symfony\Component\Mailer\Header\TagHeader;
use Symfony\Component\Mime\Address;
use Symfony\Component\Mime\Email;

$given = json_decode(stream_get_contents(STDIN), true);
$client = HttpClient::create(['cafile' => $given['trust']]);

function overHttp($transport, array $given)
{
    return $transport->setHost('127.0.0.1')->setPort($given['port']);
}

function overSmtp(array $given, string $key)
{
    $transport = new MailgunSmtpTransport('postmaster@'.$given['domain'], $key);
    $stream = $transport->getStream();
    $stream->setHost('127.0.0.1')->setPort($given['smtpPort']);
    $stream->setStreamOptions(['ssl' => ['cafile' => $given['trust']]]);
    return $transport;
}

function email(string $name, array $given): Email
{
    $email = (new Email())
        ->from(new Address('shop@'.$given['domain'], 'Acme Größe'))
        ->to(new Address("$name@in.test", 'Doe, Jane'))
        ->cc("$name-cc@in.test")
        ->bcc("$name-bcc@in.test")
        ->replyTo('replies@in.test')
        ->subject("symfony $name – ünïcode ✓")
        ->text("Hello Jörg,\n.a dot\n")
        ->html('<p>Hello <img src="cid:logo.png"></p>')
        ->attach(str_repeat("größe\r\n", 20000), 'Übersicht 2026.pdf', 'application/pdf')
        ->embed("\x00\xff\r\n", 'logo.png', 'image/png');
    $email->getHeaders()->addTextHeader('X-Order', '4711');
    $email->getHeaders()->add(new TagHeader('autumn'));
    $email->getHeaders()->add(new MetadataHeader('order', '4711'));
    return $email;
}

$domain = $given['domain'];
$key = $given['key'];
$transports = [
    'api' => overHttp(new MailgunApiTransport($key, $domain, null, $client), $given),
    'mime' => overHttp(new MailgunHttpTransport($key, $domain, null, $client), $given),
    'smtp' => overSmtp($given, $key),
    'badKeyApi' => overHttp(new MailgunApiTransport('wrong', $domain, null, $client), $given),
    'badKeySmtp' => overSmtp($given, 'wrong'),
    'badDomain' => overHttp(new MailgunApiTransport($key, 'elsewhere.test', null, $client), $given),
];
$outcomes = [];
foreach ($transports as $name => $transport) {
    try {
        $outcomes[$name] = ['id' => $transport->send(email($name, $given))->getMessageId()];
    } catch (\Throwable $error) {
        $outcomes[$name] = ['error' => $error->getMessage()];
    }
}
echo json_encode($outcomes);
