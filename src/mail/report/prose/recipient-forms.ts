/**
 * The forms in which servers name a recipient in prose, as data, the most certain first. Only the most certain form
 * that occurs in a text is used, because a text that lists its recipients on lines of their own may name contact
 * addresses in sentences.
 */
import { ADDRESS } from '../address-text.ts'

export interface RecipientForm {
  form: string
  /** Group 1: the address, with its brackets if it has any. Group 2, if any: the address that the mail was sent to. */
  pattern: RegExp
  /** The words in front of the address are the reason. */
  reasonBefore?: true
}

/** An address in angle brackets, in quotation marks, or alone. */
const NAMED = `(["']?<${ADDRESS}>["']?|["']?${ADDRESS}["']?)`
/** Words for a recipient in front of a colon. */
const NAMES =
  'recipients?|addressees?|address(?:es)?|addressed to|rcpt to|mailbox|user|user ?id|destinatarios?|destinataires?|destinatari|empfänger|получатель|받는 ?사람|수신[자인]|宛先[^\\s:：]{0,12}|あて先[^\\s:：]{0,12}|收件者[^\\s:：]{0,12}|送信先[^\\s:：]{0,12}|收件人[^\\s:：]{0,12}|收信人[^\\s:：]{0,12}'
const NOT_RECIPIENTS = String.raw`(?:from|sender|reply|return|contact|originator|your|source|mail from|support)\b`
const form = (name: string, pattern: string): RecipientForm => ({
  form: name,
  pattern: new RegExp(pattern, 'iu'),
})

/** In front of an address: bullets, `>>>` of Active!hunter, a reply code as in Sendmail 5. */
const FRONT = String.raw`^[\s*\u2022\u00b7>|-]{0,40}(?![\s*\u2022\u00b7>|-])(?:[45]\d\d[ -](?:[45]\.\d{1,3}\.\d{1,3} )?)?`
/** Behind it: `(expanded from <jane@example.org>)` (Postfix), `(ultimately generated from ...)` (Exim). */
const FROM = String.raw`(?:\s{1,4}\((?:[a-z]{1,12} ){0,2}(?:expanded|generated|forwarded) (?:from|by):? ?(<?${ADDRESS}>?)\))?`

export const RECIPIENT_FORMS: readonly (readonly RecipientForm[])[] = [
  [
    form(
      'a colon and the reason, here or on the next lines: qmail, Postfix, Yahoo, GMX, Courier, OpenSMTPD',
      `${FRONT}${NAMED}${FROM}\\s?:(?!//)`,
    ),
    form('alone on the line: Exim, Gmail, Windows, Amazon SES', `${FRONT}${NAMED}${FROM}\\s*$`),
    form(
      'the address with its link: Exchange 2007 to Online',
      `^\\s*(?!\\s)(?:[^<>@]{1,100}|${ADDRESS} \\(${ADDRESS}\\))?<mailto:(${ADDRESS})>\\s*$`,
    ),
    form(
      'a reason after dots, in brackets or after a dash: Sendmail, XMail, McAfee',
      `${FRONT}${NAMED}${FROM}\\s*(?:\\.\\.\\.|[[(]|\\s-{1,2}\\s|,? on [a-z0-9])`,
    ),
    form(
      'a reason with its codes, without a sign between: Zoho',
      `^\\s*${NAMED}[ ,].{0,80}(?:ERROR_CODE|[45]\\d\\d [45]\\.\\d)`,
    ),
  ],
  [
    {
      ...form(
        'with the reason before it: IMail',
        `^\\s*(?:unknown (?:user|host)|user mailbox exceeds allowed size|delivery failed \\d+ attempts?|undeliverable to|mailbox (?:full|unavailable)|invalid (?:recipient|user|address)|invalid final delivery userid)[: ]\\s*${NAMED}`,
      ),
      reasonBefore: true,
    },
    form(
      'below the program or file that it became: Sendmail, Exim',
      `^\\s*\\(?(?:[a-z]{1,12} ){0,2}(?:expanded|generated|forwarded) (?:from|by):? ${NAMED}\\)?\\s*$`,
    ),
    form(
      'after its name: Messaging Server, SurfControl, MDaemon, EZweb, and servers nobody knows',
      `^\\W{0,20}(?!${NOT_RECIPIENTS})(?:[\\p{L}'’]{1,20}[ -]){0,4}(?:${NAMES})(?:[ -](?:e-?mail|address|name|id)){0,2}(?:\\([\\p{L}]{1,3}\\))?(?:\\s?[:：](?:\\s\\|)?|\\s\\|)\\s*${NAMED}`,
    ),
    form('in a column of its own: Mercury', `^\\s*${NAMED}(?:\\s{2,4}|\\t)\\S`),
    form('in the dialogue: Sendmail, InterScan, EZweb', `\\brcpt to:\\s?(<${ADDRESS}>)`),
  ],
  [
    form(
      'in a sentence of failure',
      `\\b(?:deliver(?:ed|y|ing|able)?|undeliverable|sent|send|message|e-?mail|mail|reach(?:ed)?)(?:\\s[\\p{L}'’]{1,20}){0,4}\\s(?:to|for|a|an|à|para|für):?\\s+(?:(?:the|this|following|recipient|address|user|e-?mail|mailbox)\\s){0,4}${NAMED}`,
    ),
    form(
      'in such a sentence in other languages',
      `(?<!\\p{L})(?:entreg\\p{L}{1,4}|enviar|enviado|remis|distribué|zugestellt|consegnat[oa]|recapitat[oa]|доставлен[оаы]?|отправлен[оаы]?|dostarczon[oay]|bezorgd|afgeleverd)(?:\\s[\\p{L}'’]{1,20}){0,3}\\s(?:a|al|ao|an|à|para|für|aan|do|на|для)(?:\\s(?:la|die|den|de|le|het|адрес|adres))?:?\\s+${NAMED}`,
    ),
    form(
      'as the object of a failure',
      `(?<!\\p{L})(?:recipient|mailbox|user|address|account|usuario|utilisateur|benutzer|destinatario|destinataire|empfänger|(?:на )?адрес|адресат[ау]?|получател[юья]|пользовател[юья]м?)(?:\\saddress)?:?\\s+${NAMED}`,
    ),
    form(
      'beside its name, in Chinese and Japanese',
      `(?:收件人|收信人|收件者|邮箱|郵箱|地址|宛先|あて先|アドレス)[^\\s:：@（「『【《]{0,12}[\\s（「『【《]{1,3}${NAMED}`,
    ),
    form(
      'the subject of a failure',
      `(?:^|\\s)${NAMED}\\s+(?:was|is|has|does|doesn't|couldn't|could|did|wasn't|isn't|cannot|can't)\\b`,
    ),
  ],
  [
    form(
      'in a repeated header: Verizon',
      `^\\s*to\\s?:\\s*(?!\\s)(?:[^<>@]{0,99}(?:[\\s"']|(?=<)))?${NAMED}`,
    ),
  ],
]
