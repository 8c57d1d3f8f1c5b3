/** Replies of real servers, by their category. */
import type { BounceCategory } from '../../src/mail/reply/category.ts'

/** `dead`: the address, or its domain. */
export const ANSWERS: Record<BounceCategory, { dead?: readonly string[]; alive?: readonly string[] }> = {
  address_unknown: {
    dead: [
      '550 5.1.1 <gone@x.test>: Recipient address rejected: User unknown in virtual mailbox table',
      '550 Unknown user',
      'This address no longer accepts mail.',
      '550 permanent failure (x@y.test:550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient x@y.test not foun...)',
      'Benutzer jane.doe nicht im Domino-Verzeichnis aufgeführt',
      '553 5.1.1 unknown or illegal user: gone@x.test',
      '550 Requested action not taken: mailbox unavailable',
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
      '554 delivery error: dd This user doesn’t have a yahoo.com account (gone@yahoo.com) [0]',
      '550 5.1.6 <gone@x.test>: Destination mailbox has moved, No forwarding address',
      '550 5.2.1 <gone@x.test>... User Unknown',
      'Sorry, no mailbox here by that name. (#5.1.1)',
      'The recipient name is not recognized',
      'User jane not listed in public Name & Address Book',
      '550 #5.1.0 Address rejected.',
      '550 Benutzer unbekannt',
      '550 Unbekannter Empfänger',
      '550 Kein solcher Benutzer',
      '550 Empfängeradresse unbekannt',
      '550 Usuario no encontrado',
      '550 No existe el usuario',
      '550 Gebruiker onbekend',
      '550 Brak takiego użytkownika',
      '550 Kullanıcı bulunamadı',
      '550 Нет такого пользователя',
      'Пользователь jane@mail.ru не найден',
      '550 用户不存在',
      '收件人（jane@qq.com）不存在',
      '找不到您输入的电子邮件地址',
      '550 존재하지 않는 사용자',
      '550 5.1.1 User unknown; see http://www.spamhaus.org/',
      '550 5.1.1 User unknown. Contact postmaster to have a DMARC report us',
      '550 5.1.1 User unknown (rate limit applies to repeated attempts)',
      '550 5.1.1 User unknown. If this e-mail contained a mistake, write to the postmaster',
      '550 5.1.1 User unknown; sender not in contacts',
      '550 No such user here: Message contains [1] file attachments',
    ],
    alive: [
      '450 4.1.1 please try again',
      '450 4.1.1 <x@y.test>: Recipient address rejected: not now',
      '450 Requested mail action not taken: mailbox unavailable',
      '550 5.4.1 All recipient addresses rejected : Access denied. AS(201806271)',
      '550 5.4.1 Recipient address rejected: Access denied. [AM5EUR02FT019.protection.outlook.com]',
      '550 5.7.1 Requested action not taken: mailbox unavailable',
      '550 Service no longer available',
      '503 5.5.1 No valid recipients',
    ],
  },
  mailbox_full: {
    alive: [
      '452 4.2.2 The email account that you tried to reach is over quota',
      '552 5.2.2 <x@y.test>: user is over quota',
      '550 5.1.1 <x@y.test>... Mailbox Full',
      '552 Requested mail action aborted: exceeded storage allocation',
      '550 Das Postfach des Empfängers ist voll',
      '550 5.1.1 User unknown or mailbox full',
      'jane (Mailbox over limit)',
      '550 Почтовый ящик переполнен',
      '552 用户邮箱已满',
      '552 Posta kutusu dolu',
      '552 De mailbox is vol',
      '552 Skrzynka odbiorcy jest przepełniona',
      '552 메일함 용량이 가득 찼습니다',
    ],
  },
  mailbox_disabled: {
    dead: ['550 5.1.1 <x@icloud.com>: inactive email address'],
    alive: [
      '550 5.2.1 The email account that you tried to reach is disabled.',
      '525 5.7.13 <x@y.test>: Recipient address rejected: Disabled recipient address',
      '550 5.5.0 Le compte du destinataire est bloque. The recipient account is blocked.',
    ],
  },
  domain_unknown: {
    dead: [
      'Host or domain name not found. Name service error for name=gone.test type=AAAA: Host not found',
      '550 5.1.2 <x@gone.test>... Host unknown (Name server: gone.test.: host not found)',
      'DNS Error: Domain name not found',
      'There are no DNS entries for the hostname gone.test.',
      '550 5.1.2 Bad destination system address',
    ],
  },
  no_mail_accepted: {
    dead: ['556 5.1.10 Domain does not accept mail', '521 x.test does not accept mail', '556 no'],
    alive: ['521 no', '550 System not accepting network messages', '521 5.3.2 x.test does not accept mail'],
  },
  policy: {
    alive: [
      '554 5.7.9 Message not accepted for policy reasons',
      '550 5.0.0 Denied by policy',
      '553 5.1.8 <a@acme.test>... Domain of sender address a@acme.test does not exist',
      '550 5.7.133 RESOLVER.RST.SenderNotAuthenticatedForGroup; when sending to this group',
      '550 5.1.7 No such domain acme.test',
      '550 User unknown (in reply to MAIL FROM command)',
      '550 5.1.1 User unknown (in reply to MAIL FROM command)',
      '550 5.1.1 Sender verification: no such user',
      '550 Der Absender ist ungültig',
      'Sie sind nicht berechtigt, Nachrichten in der Gruppe zu posten',
      '550 发件人地址不存在',
      '550-Requested action not taken: mailbox unavailable 550-Reject due to policy restrictions.',
      '550 Requested action not taken: mailbox unavailable https://postmaster.1und1.de/en/case?c=hi&i=ip',
      'Reason: message was blocked by expression filter',
      '550-Requested action not taken: mailbox unavailable 550 invalid DNS MX or A/AAAA resource record',
      '550 Return address does not exist',
      '550 You are not a known sender',
    ],
  },
  content_spam: {
    alive: [
      '550 5.7.1 Message content rejected, UBE, id=00000-22-225',
      '554 5.7.1 Spam detected',
      '550 This message contains a virus (Eicar-Test-Signature).',
      '554 5.7.1 This email from IP 192.0.2.25 has been rejected. The email message was detected as spam.',
      '550 The message contains a prohibited word',
    ],
  },
  content_too_big: {
    alive: [
      '552 5.3.4 Message size exceeds fixed limit',
      '552 5.2.3 <x@y.test>: Recipient address rejected: Message length exceeds administrative limit',
      '550 5.2.3 RESOLVER.RST.RecipSizeLimit; message too large for this recipient',
    ],
  },
  reputation: {
    alive: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
      '550 5.1.1 IP address blacklisted',
      '554 mx.test ESMTP server not available. 192.0.2.25 is not allowed to send mail. AUP#1260',
      '550 5.1.1 User unknown; Client host [192.0.2.1] blocked using zen.spamhaus.org',
      '554 IMP x.test 192.0.2.1 blocked. Error Code: CXRBL',
      '550 5.7.1 This message is likely suspicious due to the very low reputation of the sending domain',
      '550 Ваш IP-адрес заблокирован',
      '550 Rejected. See http://unblock.secureserver.net/?ip=192.0.2.1',
      '550 Ihre IP-Adresse ist gesperrt',
      '550 5.7.25 <x@y.test>: Recipient address rejected: Reverse DNS validation failed',
      '550 SC-004 Unfortunately, messages from 192.0.2.1 weren’t sent.',
      '550 We no longer accept mail from your network',
      '550 Unknown client address',
      '550 5.1.1 User unknown; 192.0.2.1 has been blocked',
    ],
  },
  authentication: {
    alive: [
      '550 5.7.26 This mail has been blocked because the sender is unauthenticated.',
      '550 5.7.509 Access denied, sending domain [A.TEST] does not pass DMARC verification',
      '550 Bad SPF records for [a.test:192.0.2.2]',
      '550 5.7.1 <x@y.test>: Recipient address rejected: Please see http://www.openspf.org/Why?id=a.test',
      '550 5.7.515 Access denied, sending domain [A.TEST] does not meet the required authentication level',
      '421 4.7.32 Your email has been rate limited because the From: header (RFC5322) in this message isn’t aligned with either the authenticated SPF or DKIM organizational domain.',
    ],
  },
  rate_limited: {
    alive: [
      '452 4.3.2 Connection rate limit exceeded.',
      '550 5.1.1 <x@y.test> - 192.0.2.1 has sent to too many recipients this hour.',
      '421 4.7.28 unusual rate of unsolicited mail',
      '450 4.2.1 The user you are trying to contact is receiving mail too quickly.',
      '550 5.4.5 Daily sending quota exceeded',
      '550 Excessive unknown recipients - possible open relay',
      '550 5.1.1 Too many invalid recipients, no such user',
    ],
  },
  greylisted: {
    alive: [
      '451 4.7.1 Try again later',
      '450 4.2.0 <x@y.test>: Recipient address rejected: Greylisted, see http://p.test/',
    ],
  },
  network: {
    alive: [
      'connect to x.test[192.0.2.1]:25: Connection timed out',
      '554 5.4.6 Too many hops',
      '421 4.4.2 x.test lost connection',
      'Name service error for domain x.test: Host not found, try again',
      'Host or domain name not found. Name service error for name=x.test type=MX: Host not found, try again',
      '450 4.1.1 <x@y.test>: Recipient address rejected: unverified address: connect to y.test: Connection timed out',
      '451 4.1.1 Temporary lookup failure',
      '550 User lookup failure, try later',
    ],
  },
  tls: { alive: ['454 4.7.5 TLS handshake failed', '530 5.7.0 Must issue a STARTTLS command first'] },
  relay_denied: { alive: ['554 5.7.1 <x@y.test>: Relay access denied', '550 5.7.0 No relaying'] },
  expired: {
    alive: ['Could not deliver for the last 432000 seconds. Giving up.', '550 4.4.7 Message expired'],
  },
  other: {
    alive: [
      '421 4.3.0 Upstream error',
      '550 5.3.5 Internal System Error',
      'The account or domain may not exist, they may be blacklisted, or missing the proper dns entries.',
      '',
    ],
  },
}

/** The parts of a reply as a server sends it, all lines on one: `550 5.1.1 <x@y.test>: User unknown`. */
export function partsOf(reply: string): { code: number | null; status: string | null; words: string } {
  const [, code, status, words] = /^(?:(\d{3})[ -])?(?:(\d\.\d{1,3}\.\d{1,3}) )?(.*)$/.exec(reply)!
  return { code: code === undefined ? null : Number(code), status: status ?? null, words: words! }
}
