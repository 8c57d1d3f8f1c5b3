/**
 * How the reports of servers begin, as data. Each pattern is searched for at the start of a line, in the text before
 * the returned email, without the quotation marks `>` of answers. A server whose words are missing is read by the
 * words that all of them use (`FAILURE_WORDS`), and then its mail must come from a mail system.
 */
export interface ServerFormat {
  server: string
  opening: RegExp
  /** The reason stands above the address. It stands behind or below it otherwise. */
  reasonAbove?: true
  /** The line with these words may hold the reason. Otherwise it says only that there is one. */
  reasonWithin?: true
}

const anyOf = (patterns: readonly RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source).join('|'), 'iu')

export const SERVERS: readonly ServerFormat[] = [
  {
    server: 'Exim, GMX, MXLogic, Zoho, Mail.ru and others that took its words',
    opening:
      /^[ \t]*(?:this message was created automatically by (?:the )?(?:mail delivery software|\S+)|a message (?:that you (?:have )?sent|sent by)\b|это письмо создано автоматически)/im,
  },
  {
    server: 'Postfix',
    opening: /^[ \t]*this is the (?:mail system|postfix program|mail delivery agent) at\b/im,
  },
  {
    server: 'Postfix in the words of providers',
    opening: /^[ \t]*i'm sorry to have to inform you that/im,
  },
  {
    server: 'qmail and its children, Apache James',
    opening: /^[ \t]*(?:hi\. this is the\b|i'm afraid i wasn't able to deliver your message)/im,
  },
  {
    server: 'Sendmail 5 to 8, and servers that took its words',
    opening:
      /^[ \t|-]*(?:the original message was received at\b|the following addresses? (?:had|have)\b|(?<=- ?)transcript of (?:the )?session\b|message log follows|failed addresses follow)/im,
  },
  {
    server: 'Gmail',
    opening:
      /^[ \t]*(?:delivery to the following recipients? (?:failed permanently|has been delayed)|\*\* .{3,80} \*\*[ \t]*$)/im,
  },
  {
    server: 'Google Groups, in any language: the help page is named',
    opening: /^.{0,300}https:\/\/groups\.google\.com\/support\b/im,
  },
  {
    server: 'Yahoo',
    opening:
      /^[ \t]*(?:(?:sorry, )?we (?:were|are) unable to deliver your message|unable to deliver message to the following address|message from[ \t]+\S{1,200}\.?[ \t]*$)/im,
  },
  {
    server: 'Exchange',
    opening:
      /^.{0,200}(?:did not reach (?:some or all of the intended recipients|the following recipient\(s\))|delivery (?:has failed|is delayed) to these recipients|rejected your message to the following|could(?:n't| not) be delivered to the following|your message (?:to \S{1,320} )?(?:couldn't be delivered|can't be delivered|wasn't delivered))/im,
  },
  {
    server: 'the SMTP service of Windows, Outlook.com',
    opening:
      /^[ \t]*(?:this is an automatically generated delivery status notification|delivery to the following recipients failed)/im,
  },
  {
    server: 'Amazon SES and WorkMail',
    opening:
      /^[ \t]*(?:an error occurred while trying to deliver the mail to the following recipients|the following message to \S{1,320} was undeliverable|this message could not be delivered)/im,
  },
  { server: 'Courier', opening: /^[ \t]*this is a delivery status notification from\b/im },
  {
    server: 'Domino',
    opening:
      /^[ \t]*(?:was not delivered to|wurde nicht zugestellt an|n'a pas été (?:délivré|remis|distribué) à|no se entregó a|non è stato (?:consegnato|recapitato) a|não foi entregue a)\s?:/im,
  },
  { server: 'Notes', opening: /^[ \t]*-+ ?failure reasons? *-+/im, reasonAbove: true },
  {
    server: 'IMail',
    opening:
      /^[ \t]*(?:unknown user: |undeliverable to |user mailbox exceeds allowed size: |delivery failed \d+ attempts?: |body of message generated response)/im,
  },
  { server: 'MailMarshal', opening: /^[ \t]*could not be delivered because of\b/im },
  { server: 'InterScan', opening: /^[* \t]*message from interscan\b|^[ \t]*sent <<</im },
  { server: 'OpenSMTPD', opening: /^[ \t]*this is the mailer-daemon\b/im },
  { server: 'DragonFly Mail Agent', opening: /^[ \t]*this is the dragonfly mail agent\b/im },
  {
    server: 'Sun and Oracle Messaging Server, PMDF',
    opening:
      /^[ \t]*(?:this report relates to a message you sent|your message (?:cannot|can not|could not) be (?:delivered|returned))/im,
  },
  { server: 'SurfControl', opening: /^[ \t]*your message could not be sent\b/im },
  {
    server: 'MailFoundry, EZweb, KDDI',
    opening:
      /^[ \t]*(?:unable to deliver message to|each of the following recipients was rejected|could not be delivered to): ?/im,
  },
  {
    server: 'CommuniGate, XMail and others',
    opening:
      /^[ \t]*(?:we had trouble delivering your message|failed to deliver to|\[<\d\d>\] xmail bounce|there was an error (?:delivering|sending) your mail)/im,
  },
  {
    server: 'FML, which refuses a post to a list',
    opening:
      /^[ \t]*(?:(?:sorry, )?you are not (?:a )?member of\b|(?:sorry, )?your (?:mail|article) (?:is|was) (?:rejected|ignored)|spam mail from a spammer is rejected|duplicated message-id)/im,
    reasonWithin: true,
  },
  { server: 'Facebook', opening: /^[ \t]*this message was created automatically by facebook/im },
  { server: 'm-FILTER', opening: /^-+ ?server message\b/im },
  {
    server: 'carriers in Japan',
    opening:
      /(?:送信できませんでした|配信できませんでした|お届けできませんでした|配送できませんでした|送信に失敗しました)/,
    reasonWithin: true,
  },
  {
    server: 'providers in China',
    opening: /(?:退信|退回|无法(?:发送|投递|送达)|未能(?:送达|投递))/,
    reasonWithin: true,
  },
]

/** Words of failure that reports of any server use, in the languages that they come in. */
export const FAILURE_WORDS = anyOf([
  /\bun(?:deliver(?:able|ed)|able to deliver)\b|\bnot (?:be |been |yet been )?(?:delivered|deliverable|sent|reached?)\b/,
  /\b(?:could|can|did|was|were)(?:n't| ?not) (?:be )?(?:deliver|reach|send|sent|relay)|\bfailed (?:to deliver|recipients?|addresses|permanently)\b/,
  /\bdelivery (?:to the following|failed|failure|has failed|error|attempt|delayed|has been (?:delayed|suspended)|status)|\bstopped delivery\b|\bdelivery of (?:the|this|your) (?:e-?mail|message) was (?:stopped|blocked)\b/,
  /\b(?:error|problem|failure) (?:has )?occurred (?:during|while|when|in|sending|delivering)\b[^.]{0,40}\b(?:deliver|send|mail|message|user|recipient)/,
  /\bpermanent(?:ly)? (?:error|fail|fatal|reject)|\bfatal errors?\b|\bwas (?:rejected|blocked|returned|refused|not accepted)\b|\brejected by\b|\breturned (?:to sender|mail|message)\b/,
  /\b(?:unknown|no such) (?:user|recipient|address|mailbox)|\b(?:user|recipient|mailbox|host|domain|address)(?: was| is)? (?:unknown|not (?:found|known))|\b[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3}\b/,
  // German, Dutch, Scandinavian, Finnish.
  /\bnicht (?:zugestellt|zustellbar|ausgeliefert|übermittelt)|\bkonnte nicht\b|\bunzustellbar\b|\bniet (?:worden |kunnen worden )?(?:bezorgd|afgeleverd|besteld|verzonden)|\bkunde inte (?:levereras|skickas)|\bkunne ikke (?:leveres|sendes)|\bei voi(?:tu|da) toimittaa/,
  // French, Spanish, Italian, Portuguese, Romanian.
  /\bn'a pas (?:pu être|été (?:remis|distribué|délivré))|\bne (?:peut|pourra) (?:pas )?être (?:remis|distribu|délivr)|\bimpossible de (?:remettre|distribuer|délivrer)/,
  /\bno (?:se )?(?:puede|pudo|ha podido|ha sido posible|fue posible) (?:ser )?entrega|\bno (?:ha sido|fue) entregad|\bnon (?:è stato possibile|è stato (?:consegnato|recapitato)|(?:può|ha potuto) essere (?:consegnat|recapitat))/,
  /\bnão (?:pôde|pode|foi possível|foi entregue)|\bnu a putut fi (?:livrat|trimis)/,
  // Polish, Czech, Slovak, Hungarian, Turkish, Greek.
  /\bnie (?:mogła|mógł|może|można|udało się|została?)(?: \p{L}{1,20}){0,2} (?:dostarczon|doręczon|dostarczyć|doręczyć)|\bne(?:mohla?|lze|bylo možné|podařilo se)(?: \p{L}{1,20}){0,2} (?:doručen|doručit|doručiť)/u,
  /(?<!\p{L})(?:nem (?:sikerült )?kézbesít|teslim edilemedi|iletilemedi|gönderilemedi|δεν (?:ήταν δυνατή η παράδοση|παραδόθηκε))/u,
  // Russian, Ukrainian.
  /не (?:может быть доставлено|(?:был[оаи]?|удалось|вдалося|може бути|могло быть) достав(?:лен|ить|ити))|не доставлено|недоставл/,
  // Japanese, Chinese, Korean.
  /配信|送信|届け|退信|退回|(?:无法|無法|未能)(?:投递|投遞|送达|送達|发送|發送)|(?:投递|投遞|发送|發送)(?:失败|失敗)/,
  /(?:전송|배달|전달|발송)(?:되지|하지|할 수| ?실패)|보내지 못/,
  // Vietnamese, Indonesian, Arabic, Hebrew, Thai.
  /không thể gửi|\btidak (?:dapat|bisa|berhasil) (?:dikirim|terkirim)|(?:تعذر|لم يتم) (?:ال)?تسليم|לא נ(?:מסר|שלח)|ไม่สามารถส่ง/,
])

/** Words by which a server says that it goes on trying. */
export const DELAY_WORDS =
  /(?<!\p{L})(?:verzögert|verzögerte zustellung|noch nicht (?:zugestellt|übermittelt)|weitere zustellversuche|retardée?|n'a pas encore (?:été|pu)|nouvelles tentatives|(?:todavía|aún) no se ha|retrasad[oa]|non è ancora|ritardat[oa]|ainda não foi|atrasad[oa]|opóźnion\p{L}{1,2}|nog niet (?:bezorgd|afgeleverd)|vertraagd|задержан\p{L}{0,2}|ещ[её] не доставлен\p{L}{0,2}|gecikti)(?!\p{L})|(?:延迟|延遲|尚未(?:送达|投递|送達|投遞)|遅延|遅れて|まだ(?:配信|配送|送信)|지연)|\bthis is a warning message only\b|\bis delayed for more than\b|\btemporary failure report\b|\b(?:has|have) (?:been delayed|not yet been delivered)\b|\bdelivery (?:incomplete|is delayed|delayed|has been delayed)\b|\bstill undelivered\b|\bcould not send (?:message|mail) for (?:the )?past\b|\b(?:will|to) (?:continue|keep|be) (?:to )?(?:try|retr)|\bwill retry\b|\bwill be retried\b|\byou do not need to re-?send\b|\bno action is required (?:on|from) (?:your part|you)\b|\btemporary problem delivering\b|\bdelivery attempts? will (?:continue|be)\b|\bnot yet (?:been )?delivered\b|\bwird weiter versucht\b/iu

/** Words by which it says that it has stopped trying. They may stand beside words of delay. */
export const FINAL_WORDS =
  /\bmessage will be deleted from queue\b|\bgiving up\b|\bgiven up\b|\bpermanent (?:error|fail|fatal)|\bfailed permanently\b|\bno further (?:delivery )?attempts?\b|\bnot going to try again\b|\bhas been (?:returned|removed from)|\bwill not (?:try|attempt)/i

/** Words with which a report of success begins. */
export const SUCCESS_WORDS =
  /\bsuccessful delivery notifications?\b|\b(?:was|has been) (?:successfully )?(?:delivered|relayed) (?:to|successfully)\b|\bmail delivery report that you requested\b|\bsuccessfully (?:relayed|delivered)\b/i
