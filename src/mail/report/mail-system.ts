/** Tells from a header whether a mail system wrote the mail, or a person or a list. */
import { decodeText } from '../raw/decode.ts'
import { fieldValue, type RawField } from '../raw/header.ts'

/** Local parts by which mail systems write. `poostmaster`: the sign of a Sendmail that was set up in a hurry. */
const LOCAL =
  /(?:^|[<\s"])(?:mailer-?daemon|mail-?daemon|poo?st[-_]?master|mail-?admin(?:istrator)?|mdaemon|mail-?system|mail-?router|sysadmin|dsn|ndr|mta|microsoftexchange[0-9a-f]{32})(?:@|>|$|\s*\()/i

/** Display names by which mail systems write. */
const NAME =
  /\bmail(?:er)? ?(?:delivery|deliver|administrator|system|transport|daemon|router|server|gateway)\b|\b(?:system|e-?mail) (?:administrator|service|attendant)\b|\bpostmaster\b|\bdelivery (?:sub)?system\b|\bmessaging system\b|\bspam firewall\b/i

/** Tags that gateways and lists put in front of a subject: `[EXTERNAL]`, `***SPAM***`. */
const TAGS = /^(?:\s{0,5}(?:\[[^\][]{1,40}\]|\*{2,5}[^*]{1,40}\*{2,5})){1,5}[\s:-]{0,5}(?=\S)/

/** How the subjects of answers and of forwarded mail begin. */
const ANSWER = /^(?:re|aw|sv|antw|odp|ynt|rif|res|vs|回复|答复|回覆|返信)(?:\[\d{1,3}\])?\s{0,5}[:：]/i
const FORWARDED = /^(?:fwd?|wg|tr|doorst|enc|i|pd|rv|转发|轉寄)\s{0,5}[:：]/i

/** How the subjects of their reports begin. */
const SUBJECTS: readonly RegExp[] = [
  /^\W*(?:(?:un|non[- ]?)deliver|(?:(?:e-?|x)?mail )?bounce\b|returned (?:mail|to sender)|return(?:ed)? |failure (?:notice|delivery)|failed|status notification|postmaster notify|sorry, your message)/i,
  /^\W*(?:(?:permanent |temporary )?(?:(?:mail|message|e-?mail)? ?deliver|(?:mail|message|dispatch) (?:fail|status|delay|error|problem|notif|report|warn|system error)))/i,
  /^\W*(?:mail (?:could not|failure)|could not (?:send|deliver)|(?:blocked|rejected|refused)\s?:|(?:there was an )?error (?:send|in|message)|warning\b.{0,30}\b(?:mail|message|send))/i,
  /^\W*(?:your )?(?:mail|message|e-?mail)\b.{0,60}\b(?:could not|not (?:be )?delivered|undeliver|blocked|reject|failed|delayed|error|returned)/i,
  // Groupware: FirstClass and First Class gateways.
  /^\W*nd[nr]\s?:/i,
  // German, French, Spanish, Italian, Dutch.
  /^\W*(?:unzustellbar|nicht zustellbar|zustell(?:ung|fehler)|(?:ihre )?(?:nachricht|e-?mail)\b.{0,60}\bnicht|non remis|échec|echec|avis de non|notification d|message non|message retard|no se (?:puede|pudo)|(?:mensaje|correo) (?:no|devuelto)|no entregado|error de|mancat[ao] (?:recapito|consegna)|messaggio non|non (?:recapitabile|consegnato)|impossibile|onbestelbaar|niet bezorgd|bezorging)/i,
  /^[^\p{L}]*übermittlung(?:sfehler)?(?: verzögert|$)/iu,
  // Portuguese, Polish, Czech, Turkish, Scandinavian.
  /^[^\p{L}]*(?:mensagem não|e-?mail não|não (?:entregue|é possível|foi possível)|falha (?:na|de) entrega|niedostarcz|nie (?:dostarczono|można dostarczyć)|zwrot (?:poczty|wiadomości)|nedoručiteln|nedoručen|teslim edilemedi|iletilemedi|kan ikke leveres|går inte att leverera|toimittaminen epäonnistui)/iu,
  // Polish, Czech, Slovak, Hungarian, Romanian, Greek, Scandinavian, Finnish, Vietnamese, Indonesian.
  /^[^\p{L}]*(?:wiadomość (?:e-mail )?nie|zpráv[au] (?:nebyla|nelze|se nepodařilo)|správ[au] (?:nebola|sa nepodarilo)|nedoručiteľn|(?:a )?lev[eé]l(?:e|et)? nem|kézbesíthetetlen|(?:mesaj )?nelivrat|αποτυχία παράδοσης|αδυναμία παράδοσης|(?:din )?(?:e-?mail|besked|melding|meddelande(?:t)?) (?:kunne|kunde|blev|ble) (?:ikke|inte)|ikke leveret|kunde inte levereras|viestiä ei|toimitus epäonnistui|thư không|không gửi được|gagal terkirim|tidak terkirim|pengiriman gagal)/iu,
  // Russian and Ukrainian, Japanese, Chinese, Korean.
  /^[^\p{L}]*(?:недоставл|не удалось|не доставлено|сообщение не доставлено|(?:повідомлення|лист) не доставлен|не вдалося|配信|送信|配送|エラー|メール|退信|系统退信|系統退信|未传递|未傳遞|无法(?:投递|送达|传递)|無法(?:投遞|送達|傳遞)|邮件(?:退回|投递失败)|郵件(?:退回|投遞失敗)|退件|발송 ?실패|전송 ?실패|배달 ?(?:되지|못|실패)|반송)/iu,
  /^.{0,80}(?:的退信|발송 ?실패|전송 ?실패|退信通知|전송되지 ?(?:못|않))/u,
]

export interface ReportSender {
  /** The author has the name or the address of a mail system. */
  system: boolean
  /** The reverse path is empty, as for reports (RFC 5321 4.5.5), or that of a mail system. */
  silent: boolean
  /** Return-Path (RFC 5321 4.4), as it stands; null: the mail has none. */
  path: string | null
  /** The subject is one of a report on delivery. */
  subject: boolean
  /** Mail of a list, or an answer by a person: it may quote reports. */
  talk: boolean
}

export function senderOf(fields: readonly RawField[]): ReportSender {
  const from = decodeText(fieldValue(fields, 'from').slice(0, 500))
  const path = fields.find(({ lower }) => lower === 'return-path')?.value.trim()
  const whole = subjectWithTags(fields)
  const subject = whole.replace(TAGS, '')
  const system =
    from === '' || from.includes('<>') || LOCAL.test(from) || NAME.test(from) || isFromFml(fields, from)
  const list =
    /^list\b/i.test(fieldValue(fields, 'precedence').trim()) ||
    fields.some(({ lower }) => lower === 'list-id' || lower === 'list-post')
  return {
    system,
    silent: path !== undefined && (path === '' || path === '<>' || LOCAL.test(path)),
    path: path ?? null,
    subject: SUBJECTS.some((pattern) => pattern.test(subject) || pattern.test(whole)),
    talk: ANSWER.test(subject) || FORWARDED.test(subject) || (list && !system),
  }
}

/** FML answers as the administrator of a list. The posts of the list have the field, too. */
const isFromFml = (fields: readonly RawField[], from: string) =>
  /-admin@/i.test(from) && /^fml\b/i.test(fieldValue(fields, 'x-mlserver').trim())

/** The subject without the tags in front of it, unless it is nothing else. */
export function subjectOf(fields: readonly RawField[]): string {
  return subjectWithTags(fields).replace(TAGS, '')
}

const subjectWithTags = (fields: readonly RawField[]) =>
  decodeText(fieldValue(fields, 'subject').slice(0, 500)).trim()

/** Whether a mail says that it answers another one (RFC 5322 3.6.4 and 3.6.5). */
export function isAnswer(fields: readonly RawField[]): boolean {
  return fieldValue(fields, 'in-reply-to').trim() !== '' || ANSWER.test(subjectOf(fields))
}
