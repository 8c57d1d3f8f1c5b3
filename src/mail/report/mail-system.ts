/** Tells from a header whether a mail system wrote the mail, or a person or a list. */
import { decodeText } from '../raw/decode.ts'
import type { RawField } from '../raw/header.ts'
import { fieldValue } from './open-report.ts'

/** Local parts by which mail systems write. */
const LOCAL =
  /(?:^|[<\s"])(?:mailer-?daemon|mail-?daemon|mailerdaemon|postm?a?o?st?master|mail-?admin(?:istrator)?|mdaemon|mail-?system|mail-?router|smtp(?:-?daemon)?|delivery|dsn|ndr?|mta|no-?reply|bounces?)(?:@|>|$|\s*\()/i

/** Names by which they write. */
const NAME =
  /\bmail(?:er)? ?(?:delivery|deliver|administrator|system|transport|daemon|router|server|gateway)\b|\b(?:system|e-?mail) (?:administrator|service|attendant)\b|\bpostmaster\b|\bdelivery (?:sub)?system\b|\bmessaging system\b|\bspam firewall\b/i

/** Subjects of reports on delivery, at the start. */
const SUBJECT =
  /^\W*(?:(?:e-?mail )?bounce\b|(?:un|non-?)deliver|(?:mail|message|e-?mail)? ?deliver|returned (?:mail|to sender)|return(?:ed)? |failure notice|failure delivery|failed|mail (?:failure|failed|system error|error|could not)|(?:permanent |temporary )?(?:delivery|mail|message|dispatch) (?:fail|status|delay|error|problem|notif|report|warn)|permanent delivery|status notification|could not (?:send|deliver)|(?:your )?(?:mail|message|e-?mail|mensaje|nachricht)\b.{0,60}\b(?:could not|not (?:be )?delivered|undeliver|blocked|reject|failed|delayed|error|returned)|warning\b.{0,30}\b(?:mail|message|send)|(?:there was an )?error send|sorry, your message|error (?:in|de|message)|postmaster notify|nondeliver|non remis|mail delivery|nicht zustellbar|unzustellbar|zustellung|échec|echec|avis de non|notification d|no se (?:puede|pudo)|mensaje no|mancato recapito|недоставл|не удалось|配信|送信|エラー|退信|系统退信|メール)/i

export interface Sender {
  /** The author has the name or the address of a mail system. */
  system: boolean
  /** The reverse path is empty, as for reports (RFC 5321 4.5.5), or that of a mail system. */
  silent: boolean
  /** The subject is one of a report on delivery. */
  subject: boolean
  /** Mail of a list, or an answer by a person: it may quote reports. */
  talk: boolean
}

export function senderOf(fields: readonly RawField[]): Sender {
  const from = decodeText(fieldValue(fields, 'from')).slice(0, 500)
  const path = fields.find(({ lower }) => lower === 'return-path')?.value.trim()
  const subject = decodeText(fieldValue(fields, 'subject')).trim().slice(0, 500)
  const system = from === '' || /<>/.test(from) || LOCAL.test(from) || NAME.test(from)
  return {
    system,
    silent: path !== undefined && (path === '' || path === '<>' || LOCAL.test(path)),
    subject: SUBJECT.test(subject),
    talk:
      !system &&
      (/^(?:re|aw|sv|fwd?|wg|tr|antw|rif|vs)\s*:/i.test(subject) ||
        /^list\b/i.test(fieldValue(fields, 'precedence').trim()) ||
        fields.some(({ lower }) => lower === 'list-id' || lower === 'list-post')),
  }
}
