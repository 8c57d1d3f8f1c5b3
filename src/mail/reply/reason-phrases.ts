/**
 * More phrases of servers, for the classification of a refusal. They name a reason but, unlike the lists in phrases.ts,
 * are too weak a proof to close a path. The rules of phrases.ts hold here too. classify.ts has the order in which the
 * lists are searched.
 */

/** The mailbox, or the space of its owner, is full. */
export const FULL: readonly RegExp[] = [
  // Sendmail and procmail "Mailbox full", Courier "maildir over quota", qmail "mailfolder is full", Kerio, MDaemon.
  // GroupWise "Mailbox over limit".
  /\bmail ?(?:box|dir|folder)\b(?: \w+){0,4} (?:full|over ?quota|over (?:its )?limit|exceeded|exceeds)\b|\b(?:full|overfull) (?:mail ?box|inbox)\b/,
  /\bmailbox (?:size|space|quota|storage)(?: \w+){0,2} (?:exceeded|exceeds|reached|full|limit)\b|\b(?:exceeds?|exceeded|exceeding)(?: \w+){0,3} (?:mailbox|storage|disk|space)\b/,
  // Yahoo "exceeded storage allocation" (RFC 5321 4.2.2), Novell "user over disk space", Zimbra, Dovecot "Quota
  // exceeded (mailbox for user is full)", Exchange "QuotaExceeded", Cyrus "Over quota".
  /\bstorage allocation\b|\bdisk ?quota\b|\bover (?:disk|the|his|her|their|its|allotted|allocated|storage) ?(?:space|quota|storage)?\b(?: limit)?|\bout of (?:disk )?(?:space|quota)\b/,
  /(?<!(?:sending|daily|hourly|rate|message) )\bquota ?(?:is |has been |was )?(?:exceeded|full|reached|violation)\b|\b(?:exceeded|exceeds|beyond|past)(?: \w+){0,3} quota\b|\bquotaexceeded\b|\bstoragequota\b/,
  // Others: "not enough space in mailbox", "insufficient space", "can't accept messages now", "mailbox ... is too
  // large".
  /\b(?:not enough|insufficient|no)(?: \w+){0,2} (?:space|room)\b|\btoo much mail data\b|\bmailbox is too large\b|\btoo many (?:messages|mails) (?:in|on) (?:the |this |that )?(?:mailbox|inbox)\b/,
  // German, French, Spanish, Italian and Portuguese, Japanese.
  /\b(?:postfach|mailbox|konto) (?:\S{1,20} ){0,4}(?:voll|überfüllt)\b|\b(?:bo[iî]te|messagerie)\b[^.;]{0,60}\bpleine\b|\b(?:buz[oó]n|casilla|casella|caixa)\b[^.;]{0,60}\b(?:llen[oa]|pien[oa]|chei[oa])\b/,
  // Dutch, Polish, Turkish, Russian, Chinese, Korean, Japanese.
  /\b(?:mailbox|postvak|brievenbus)(?: \S{1,20}){0,3} vol\b|\b(?:skrzynk\p{L}{1,3}|poczt\p{L}{1,3})[^.;]{0,40}(?:pełn|przepełnion|zapełnion)|\bposta kutusu[^.;]{0,30}\bdolu\b|\bkotas[^.;]{0,20}\b(?:dolu|aş[ıi]l)/u,
  /(?:ящик|почт)[^.;]{0,40}(?:переполнен|заполнен|полон)|(?:邮箱|郵箱|信箱|空间|空間|容量)[^。.;]{0,20}(?:已?满|已?滿|不足|超出|超过|超過)|(?:메일함|편지함|메일박스|용량|사서함)[^.;]{0,20}(?:가득|꽉|초과|부족)/,
  /(?:メールボックス|受信箱|容量)[^。]{0,30}(?:いっぱい|一杯|超過|超え|オーバー)/,
]

/** The message, or a part of it, is too long. */
export const TOO_LONG: readonly RegExp[] = [
  // RFC 3463 3.3 "Message length exceeds administrative limit", Exchange "RecipSizeLimit", Gmail "exceeded Google's
  // message size limits", Domino, GroupWise.
  /\b(?:message|mail|attachment|data|line|header|body)(?: \w+){0,2} (?:too (?:big|large|long)|exceed(?:s|ed|ing)?|over)\b(?: \w+){0,5} (?:size|length|limits?|maximum|bytes|kb|mb)\b/,
  /\b(?:max(?:imum)?|fixed|permitted|allowed)(?: \w+){0,2} (?:message|mail|attachment)?s? ?(?:size|length)\b|\b(?:size|length|line|attachment) limits?\b|\bsizelimit\b|\bmessage length\b|\b(?:message|mail|attachment|header|line|body)(?: is| was|s)? too (?:big|large|long)\b/,
  /\btoo (?:big|large) (?:a )?(?:message|mail)\b|\b(?:message|mail) (?:size|length)\b[^.;]{0,40}\b(?:exceed|too|larger|over|limit)/,
]

/** TLS was demanded, and failed (RFC 3207, 8460). */
export const NO_TLS: readonly RegExp[] = [
  /\b(?:start)?tls\b[^.;]{0,60}\b(?:fail|error|not (?:offered|available|supported|possible)|required|handshake|cannot|could not|unable)|\b(?:fail|error|cannot|could not|unable|unavailable|without|insist|require)[^.;]{0,60}\b(?:start)?tls\b/,
  /\b(?:server )?certificate (?:not trusted|verif|expired|mismatch|is not|was not|has)|\bssl (?:error|handshake|negotiation)|\btls (?:handshake|negotiation)/,
  /\bmta-sts\b|\bdane\b[^.;]{0,40}\b(?:fail|error|invalid|tlsa)/,
]

/** The sender or its message could not be authenticated: SPF, DKIM, DMARC, or a login. */
export const UNAUTHENTICATED: readonly RegExp[] = [
  /\bspf\b[^.;]{0,60}\b(?:record|fail|check|invalid|not pass|softfail|hardfail|reject|violat|error|unauthori[sz]ed)|\b(?:fail|bad|invalid|missing|no|not permitted by|rejected by|violat\w{1,4})(?: \w+){0,3} spf\b|\bsender policy framework\b/,
  /\bdkim\b(?!-)[^.;]{0,60}\b(?:fail|check|invalid|not pass|error|missing|reject|policy|verif|required|signature (?:is|did|was|does))|\b(?:fail|bad|invalid|missing|no|violat\w{1,4})(?: \w+){0,3} dkim\b(?!-)|\barc (?:validation|seal)\b/,
  // Pages about SPF that refusals link to.
  /\bopenspf\.(?:org|net|com)\b|\bspf\.pobox\.com\b/,
  /\bauthentication checks?\b|\b(?:not|un)[ -]?authenticated\b|\b(?:failed|fails|not pass|pass(?:es)? neither)(?: \w+){0,4} (?:authentication|verification)\b|\bsmtp authentication\b|\bauthentication (?:fail|error|is required|required)/,
]

/** The reputation of our address, our name or our domain. */
export const BAD_NAME: readonly RegExp[] = [
  // Cisco, Trend Micro, Symantec: "bad reputation", "low sending domain reputation", Gmail "very low reputation of the
  // sending domain".
  /\breputation\b|\bsenderscore\b|\bsender score\b/,
  // Our address in the words: Outlook.com "messages from 192.0.2.1 weren't sent", 1&1, Tencent, Free.fr "spam detected
  // from your address".
  /\b(?:mails?|messages?|e-?mails?|connections?|traffic|spam|abuse)(?: \w+){0,3} (?:from|by) (?:your |this |the )?(?:ip|server|host|network|isp|\[?\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?(?:ipv6:)?[0-9a-f]{1,4}:[0-9a-f:]{2,34})/,
  /\b(?:sending|source|sender|client|connecting|remote|origin(?:ating)?|your|this|the) (?:server )?(?:ip|host|mta|server|network)s?(?: address(?:es)?)?\b[^.;]{0,60}\b(?:block|ban|denied|deny|reject|refus|forbid|black|list|abus|spam|not (?:allowed|accept|permit|authori)|unverif|suspicious|bad)/,
  /\b(?:block|ban|denied|deny|reject|refus|forbid|black|list)\w{0,6}(?: \w+){0,4} (?:sending|source|sender|client|your|this) (?:ip|host|mta|server|network)\b|\bunverif\w{1,6} (?:sending )?ips?\b/,
  // "Blocked for abuse", "blocked for spamming", "you are blocked", Comcast "Your mail server has been rejected".
  // Not a message that was blocked by a filter: that is a rule, or its content.
  /\bfor (?:abuse|spam)|(?<!\b(?:message|mail|attachment|content|file)s? (?:was |is |were |are |has been |have been |been )?)\b(?:blocked|banned|listed) (?:by|at|due|because|for)\b|\byou (?:are|have been|were) (?:blocked|banned|black)|(?<!may be )\bblacklist|\bdnsbl|\brbl\b|\bwhite-?list/,
  // No name, or not the right one, in DNS: "invalid RDNS record", "reverse DNS validation failed", "IP name lookup
  // failed", "PTR".
  /\brdns\b|\breverse[- ](?:dns|lookup|mapping|name)|\bptr\b|\bip name (?:lookup|possibly)|\bno (?:reverse|host ?name|dns)\b|\bcannot (?:find|resolve) your\b|\b(?:cannot|could not|unable to) (?:resolve|find|verify)(?: \w+){0,2} (?:ip|host ?name|hostname)\b|\bgeneric (?:ptr|hostname|rdns)|\bdynamic(?:ally)? (?:ip|assigned|host|address)|\bresidential\b/,
  /\bfix reverse\b|\bhelo\b|\behlo\b/,
  // Orange and La Poste, "Service refuse. Veuillez essayer plus tard. Service refused, please try later".
  /\bservice refused\b/,
  // Cox "192.0.2.1 blocked. Error Code: CXRBL", "AUP#CDRBL".
  /\bc[dx]rbl\b/,
  // GoDaddy "http://unblock.secureserver.net/?ip=192.0.2.1", and other pages for removal from a list.
  /\b(?:unblock|delist)\.[a-z]|\bbarracuda(?:networks|central)\b|\bsenderbase\b/,
  /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\]? (?:blocked|banned|rejected|refused|denied|blacklisted|is not allowed to (?:send|connect))\b/,
  // Russian, German, French, Spanish, Polish, Chinese, Korean.
  /(?<!\p{L})ip[- ]?(?:адрес|адреса)?[^.;]{0,40}(?:заблокирован|блокиров|чёрн|черн|запрещ)|\bip-?adresse\b[^.;]{0,40}\b(?:gesperrt|blockiert|abgelehnt)|\badresse ip\b[^.;]{0,40}(?:bloqu|refus|liste noire)|\b(?:ip|direcci[oó]n ip)\b[^.;]{0,40}\b(?:bloquead|rechazad|lista negra)|\badres ip\b[^.;]{0,40}\b(?:zablokowan|odrzucon)|(?<![a-z])ip[^.;。]{0,12}(?:被拒|被封|被禁|被阻|黑名单|黑名單|차단|거부)/u,
]

/** The reputation of the sending domain: Gmail. It closes no path, because other domains use the path too. */
export const DOMAIN_REPUTATION: readonly RegExp[] = [/\breputation of (?:the |your )?sending domain\b/]

/** A rule that the server states in set words: GMX, web.de, 1&1, with the address of their page about the case. */
export const POLICY_STATED: readonly RegExp[] = [
  /\breject due to policy restrictions\b|\bpostmaster\.[a-z0-9.-]{3,60}\/[a-z]{0,8}\/?case\?c=/,
]

/** The server does not relay, or not for us. */
export const NO_RELAY: readonly RegExp[] = [
  /\bno relay|\bnot configured to relay\b|\bto relay (?:mail|messages?)\b|\bnot (?:permitted|allowed|authori[sz]ed) to (?:\d{3}[ -])?relay\b|\brelay(?:ing)?\b[^.;]{0,40}\b(?:den|not|prohibit|refus|reject|disallow|without)/,
]

/** Our address, in words that other servers use for something else: a recipient's own list, or too many messages. */
export const OUR_ADDRESS: readonly RegExp[] = [
  // Trend Micro "IP address blacklisted by recipient", Outlook.com "messages from 192.0.2.1 weren't sent ... too many
  // unwanted messages have been sent from the following IP address".
  /\bip(?: address)?(?: \S{1,45})? (?:is |was |has been )?(?:black-?listed|blocked|banned)\b|\btoo many (?:unwanted|unsolicited|spam)\b/,
]

/** We name too many addresses that do not exist. It says nothing about the one that is refused. */
export const PROBING: readonly RegExp[] = [
  // "Too many invalid recipients", AT&T "excessive unknown recipients - possible Open Proxy", "directory harvest
  // attack".
  /\b(?:too many|excessive|(?:rate|number|percentage|quota) of)(?: \w+){0,3} (?:unknown|invalid|non-?existent|bad|undeliverable) (?:users?|recipients?|addresses|mailbox(?:es)?|rcpts?)\b|\bdirectory[- ]harvest/,
]

/** We send more than the server wants. */
export const TOO_MUCH: readonly RegExp[] = [
  ...PROBING,
  /\btoo (?:many|much|frequent|fast)\b[^.;]{0,40}\b(?:connection|session|message|mail|recipient|rcpt|transaction|request|traffic|error|complaint|command|unknown|bad|invalid)|\btoo (?:fast|quickly)\b|\btoo frequent/,
  /\b(?:rate|speed|frequency|volume|concurrency|connection|session)s?(?: is| was| has been)? (?:limit|control|exceed)|\b(?:exceed\w{0,3}|reached|over|hit)(?: \w+){0,6} (?:per (?:hour|minute|day|connection|session)|limit|rate)\b|\bslow(?:ing)? down\b|\bthrottl/,
  /\b(?:daily|hourly|sending|message|recipient)(?: \w+){0,2} (?:limit|quota)\b|\b(?:this|per|an) (?:hour|minute)\b|\bbacklog|\boverload|\bload (?:average|too high|is high)|\bresources? temporarily\b/,
]

/** The message was taken for spam, or for something worse. */
export const UNWANTED: readonly RegExp[] = [
  /\bspam|\bub?ce\b|\bube\b|\bjunk\b|\bunsolicited\b|\bbulk (?:mail|e-?mail|message)|\bunwanted\b|\bsuspicious (?:mail|message|content|link|url)/,
  /\bvirus|\bmalware|\bphish|\bworm\b|\btrojan|\bmalicious|\binfected/,
  /\b(?:message|mail|e-?mail|body|subject|header|content|attachment)s? (?:content|filter|blocked|rejected by (?:filter|content)|contains|filtered)|\bcontent[- ]?(?:filter|scan|reject)|\b(?:because of|due to) (?:its|the) (?:content|attachment)|\bfiltered (?:by|as|out)\b|\bspamassassin|\bbogofilter|\bbayes/,
  /\b(?:banned|forbidden|dangerous|prohibited|disallowed) (?:attachment|file|extension|content|word)/,
]

/** The sender's address is refused, or the sender may not write to the recipient. */
export const SENDER_REFUSED: readonly RegExp[] = [
  /\b(?:sender|originator|originating address|return[- ](?:path|address)|envelope[- ](?:from|address)|mail from)(?:'s)?(?: \w+){0,3}\b[^.;]{0,40}\b(?:reject|refus|den(?:ied|y)|not|invalid|unknown|block|black|bad|fail|prohibit|unacceptable|required|missing|restrict|does not|doesn't|malformed|verif)/,
  /\b(?:reject|refus|den(?:ied|y)|invalid|unknown|block|black|bad|prohibit|unacceptable|unverified|malformed|forged|verify(?:ing)?)(?:ed|ing)?(?: \w+){0,3} (?:sender|originator|return[- ]path|from[: ]+(?:address|domain|header))\b/,
  // In other languages, within one clause: a report may name both the sender and the recipient.
  /(?:absender|exp[eé]diteur|remitente|remetente|mittente|afzender|nadawc|gönderen|отправител|发件人|寄件人|寄件者|差出人|送信者)[^.;,，。；]{0,40}(?:unbekannt|ungültig|existiert nicht|abgelehnt|gesperrt|inconnu|invalid|n'existe pas|refus|rejet|desconocid|desconhecid|no existe|no v[aá]lid|rechazad|bloquead|inv[aá]lid|n[aã]o existe|sconosciut|non esiste|onbekend|ongeldig|bestaat niet|nieznan|nie istnieje|geçersiz|не существует|не найден|заблокир|отклон|недейств|不存在|无效|無效|拒绝|拒絕|被拒|存在しません|拒否)/,
  // GMX "mailbox unavailable invalid DNS MX or A/AAAA resource record" is about the sender's domain.
  /\bfrom: ?(?:domain|address|header|field)?(?: is| not| has)\b|\bnot (?:an?|recognized as a)(?: \w+)? sender\b|\binvalid dns mx\b|\bfrom (?:domain|header|address)\b|\b(?:from|to)\/from\b/,
]

/** The words are an answer to MAIL: Postfix, Exim, Sendmail, Yahoo, OpenSMTPD. */
export const AFTER_MAIL: readonly RegExp[] = [
  /\b(?:in reply to|after|in response to|response to|following) (?:the )?mail[ _]from\b|>>> mail from:|\[mail_from\]|\bour mail from\b/,
]

/** The account exists but takes no mail: it is locked, suspended, expired or unused. */
export const DISABLED: readonly RegExp[] = [
  // Gmail "The email account that you tried to reach is disabled", "is inactive"; Exchange "account disabled"; Yahoo
  // "This mailbox is disabled (554.30)"; Mail.ru "user is terminated"; Orange "account is blocked".
  /\b(?:account|mail ?box|user|recipient|address|inbox|tried to reach|customer|subscriber|e-?mail)(?:\(s\))?(?: \w+){0,4} (?:is |has been |was |are |temporarily |currently |been ){0,3}(?:disabled|inactive|inactivated|suspended|locked|blocked|deactivated|closed|terminated|frozen|expired|unavailable due|not active|not activated|on hold|dormant|discontinued|cancell?ed)\b/,
  /\b(?:disabled|inactive|inactivated|suspended|locked|deactivated|closed|terminated|frozen|expired|dormant|discontinued) (?:recipient|user|account|mail ?box|address|e-?mail)\b|\bnot an active (?:user|account|address)\b/,
  /\b(?:mailbox|account) (?:is )?currently (?:unavailable|not available)\b|(?<!delivery )\btemporarily (?:locked|disabled|suspended|inactive)\b|\bcompte\b[^.;]{0,40}\bbloqu/,
]

/** The owner has gone elsewhere. Proves something only with words of OWNER, or a code of an address that is gone. */
export const MOVED: readonly RegExp[] = [
  /\b(?:has|have|had) (?:\w+ )?moved\b|\bno longer (?:on|at|with|in|here|available|works?|working|employed|uses?|used|exists?|valid|active|accepts?)\b|\bno forwarding address\b|\baddress (?:has )?changed\b|\bnew (?:e-?mail )?address is\b|\breplaced by\b/,
]

/** The subject of such a sentence is the owner or the mailbox, not a server or a service. */
export const OWNER: readonly RegExp[] = [
  /\b(?:user|recipient|mail ?box|account|address(?:ee)?|person|employee|colleague|staff|e-?mail|he|she|member|customer|subscriber|alias|who)\b|\bno longer (?:at|with|in|here|working|works|employed)\b/,
]

/** Our side of the session: the address, host or network that the mail comes from. */
export const OUR_SIDE: readonly RegExp[] = [
  /\b(?:client|sending|source|connecting|ip|your)(?: (?:ip|mail|server|host))? (?:address(?:es)?|host ?names?|hosts?|servers?|networks?)\b(?! book)|\b(?:your|this|the) ip\b|\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/,
]

/** The domain or its host does not exist. */
export const NO_DOMAIN: readonly RegExp[] = [
  // Sendmail "Host unknown (Name server: x: host not found)", Postfix "Host or domain name not found. Name service
  // error ... Host not found" (with "try again" it is temporary), Exim "Unrouteable address ... unknown domain".
  /\b(?:unknown|unrout(?:e)?able|nonexistent|non-existent|invalid|bad|illegal|no such|non-existing)(?: \w+)? (?:mail )?(?:domain|host|mail server|hostname|destination system)\b/,
  /\b(?:domain|host|hostname|mail server|destination)(?: name)?(?: (?!may )\S{1,80})? (?:is )?(?:unknown|not found|does not exist|doesn't exist|not exist|non-?existent|could not be found|couldn't be found|cannot be found|unresolvable|cannot be resolved|not known)\b(?!,? try)/,
  // qmail "CNAME lookup failed", "couldn't find any host named", Exim "all relevant MX records point to non-existent
  // hosts", Exchange "NonExistentDomain", Gmail "Domain name not found", Amazon, Zimbra; glibc "Name or service not
  // known".
  /\bcouldn't find any host\b|\bno dns entr(?:y|ies) for the host|\bpoint to non-existent\b|\bnonexistentdomain\b|\bdomain name not found\b|\bname or service not known\b|\bnxdomain\b|\bbad destination system address\b|\bno (?:a|mx)(?: or (?:a|mx))?(?: records?)? (?:for|found|at)\b|\bno such (?:domain|host)\b|\bcouldn't find a mail exchanger\b/,
  /\bdomain\b[^.;]{0,60}\b(?:existiert nicht|n'existe pas|no existe|non esiste|n[aã]o existe)\b|(?:ドメイン|ホスト)[^。]{0,20}(?:見つかりません|存在しません)/,
]

/**
 * The look-up of a domain has not ended: Postfix "Host or domain name not found. Name service error ... Host not found,
 * try again". The first sentence alone would say that there is no such domain.
 */
export const LOOKUP_UNFINISHED: readonly RegExp[] = [/\bhost not found,? try again\b/]

/** Postfix could not ask the recipient's server whether the address exists, or a server its own list of addresses. */
export const UNVERIFIED: readonly RegExp[] = [
  /\bunverified address\b|\b(?:address|user|recipient) lookup fail/,
]

/** The domain takes no mail (RFC 7504, RFC 7505). */
export const NO_MAIL: readonly RegExp[] = [
  /\bnull ?mx\b|\bno mail (?:is )?accepted\b/,
  /\b(?:does not|doesn't|do not|will not|never) (?:accept|receive|take|handle) (?:any )?(?:mail|e-?mail|messages)\b(?! (?:from|by|of|with|without|that|sent|to|for))/,
]

/** RFC 3463 3.4, the meaning of X.3.2: the server takes no mail for now. */
export const NO_MAIL_NOW: readonly RegExp[] = [/\bnot accepting (?:network messages|any mail)\b/]

/**
 * The address does not exist: words that are too bare, or too far from an answer to RCPT, for the list of phrases.ts.
 */
export const NO_ADDRESS: readonly RegExp[] = [
  // Sendmail 5 "unknown or illegal user", Exchange 5.5 "Unknown Recipient", "The recipient name is not recognized",
  // Domino "not listed in public Name & Address Book", GroupWise, Postfix "Undeliverable address".
  /\bunknown\b(?: \w+){0,2} (?:user|recipient|mailbox|account|address|addressee|alias|local[- ]part|e-?mail|name)\b|\b(?:user|recipient|mailbox|address|account|addressee|(?<!\b(?:host|domain) ?)name|alias|local[- ]part|mail)(?:\(s\))?(?: \w+){0,3} (?:is |was |are )?(?:unknown|not known|not recogni[sz]ed|not listed|unlisted|not valid|invalid|non-?existent|undeliverable)\b/,
  /\b(?:invalid|illegal|bad|incorrect|non-?existent|nonexistent|no such|undeliverable|unrout(?:e)?able|ambiguous|wrong|not a valid|no valid|malformed)(?: \w+){0,2} (?:user|recipient|mailbox|address|addressee|account|alias|local[- ]part|person|name|e-?mail)s?\b(?! server)/,
  /\b(?:user|recipient|mailbox|address|account|addressee|alias|name|person|subscriber|customer|e-?mail|member|this)(?: \S{1,60}){0,4} (?<!may )(?:does not|doesn't|doesnt|do not|did not|don't|not|never) exists?\b/,
  /\b(?:user|recipient|mailbox|address|account|addressee|alias|name|person|e-?mail)(?: \S{1,60}){0,3} (?:was not|wasn't|is not|isn't|not|could not be|couldn't be|cannot be|can't be|can not be) found\b/,
  /\bno (?:such )?(?:mail ?box|account|user|recipient|alias|person|subscriber)\b|\bnot listed in\b|\bno one (?:here )?by that name\b|\bnot our (?:customer|user)\b|\b(?:is|are) not a (?:known|valid|local|registered)\b(?! (?:mail |e-?mail )?(?:host|server|sender|client|domain|relay))|\bdoes not have an? (?:account|mailbox)\b|\bnot have an e-?mail account\b/,
  /\bdelivery error: dd\b|\bwasn't found at\b|\bundeliverable address\b|\bbad destination mailbox\b|\bi?s? ?not at this site\b/,
  // German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish.
  /(?<!\p{L}|\b(?:ip|absender)[- ])(?:empf[aä]nger|(?:empf[aä]nger|e-?mail-?|mail)?-?adresse|benutzer(?:name|konto)?|postfach|teilnehmer|konto)\b[^.;]{0,60}(?<!\p{L})(?:unbekannt|existiert nicht|nicht (?:gefunden|bekannt|vorhanden)|konnte nicht gefunden|ung[uü]ltig)(?!\p{L})|(?<!\p{L})(?:unbekannte[rs]?|ung[uü]ltige[rs]?|keine? solche[rs]?) (?:empf[aä]nger(?:adresse)?|(?:e-?mail-?)?adresse|benutzer|postfach|konto|teilnehmer)(?!\p{L})/u,
  // Domino in German, French and Spanish.
  /\bnicht im [\p{L}-]{0,30}verzeichnis(?!\p{L})|\bpas répertoriée?s? dans\b|\bno (?:aparece|figura) en (?:la lista|el directorio)\b/u,
  /\b(?:utilisateur|destinataire|adresse(?! ip\b)|compte)\b[^.;]{0,60}\b(?:inconnue?|n'existe pas|introuvable|invalide)\b/,
  /\b(?:usuario|destinatario|direcci[oó]n(?! ip\b)|cuenta|utente|indirizzo(?! ip\b)|usu[aá]rio|endere[cç]o(?! (?:de )?ip\b)|conta)\b[^.;]{0,60}\b(?:desconocid[oa]|no (?:existe|encontrad[oa]|v[aá]lid[oa])|inexistente|non (?:esiste|trovat[oa]|valid[oa])|sconosciut[oa]|n[aã]o (?:existe|(?:foi )?encontrad[oa])|desconhecid[oa])\b/,
  /\bno (?:existe|se (?:ha )?encontr(?:ó|o|ado))(?: (?:el|la|ese|esa|este|esta|ning[uú]n|un|una|tal)){0,2} (?:usuario|destinatario|direcci[oó]n|cuenta|buz[oó]n)(?!\p{L})|(?<!\p{L})(?:utilisateur|destinataire|adresse|compte) inexistante?(?!\p{L})|\baucun (?:utilisateur|compte|destinataire)\b|\bnessun (?:utente|destinatario)\b/u,
  /\b(?:gebruiker|ontvanger|(?<!ip-)adres|mailadres|e-mailadres|postvak)\b[^.;]{0,40}\b(?:onbekend|bestaat niet|niet gevonden|ongeldig)\b|\bonbekende (?:gebruiker|ontvanger)\b|\bgeen (?:dergelijke )?(?:gebruiker|ontvanger|postvak)\b/,
  /(?<!\p{L})(?:brak (?:takiego )?(?:użytkownika|adresata|odbiorcy|konta|skrzynki)|nieznany (?:użytkownik|adresat|odbiorca)|nieprawidłowy (?:adres(?! ip\b)|odbiorca)|(?:użytkownik|adresat|odbiorca|konto|skrzynka|adres(?! ip\b))[^.;]{0,40}(?:nieznan|nie istnieje|nie został\p{L}? znalezion)|nie (?:można odnaleźć|znaleziono)[^.;]{0,30}(?:adres|użytkownik|odbiorc))/u,
  /(?<!\p{L}|ip )(?:kullanıcı|alıcı|hesap|adres|adresi)[^.;]{0,30}(?:bulunamadı|bilinmiyor|mevcut değil|geçersiz|tanınmıyor)|(?<!\p{L})(?:böyle bir|bilinmeyen) (?:kullanıcı|alıcı|hesap|adres)/u,
  // Russian and Ukrainian, Chinese, Korean, Japanese.
  /(?:нет такого|неизвестный|несуществующий|немає такого|невідомий) (?:пользовател|получател|адрес|ящик|абонент|користувач|отримувач)|(?:пользовател|получател|адресат|(?<!ip-)адрес|ящик|аккаунт|уч[её]тн\p{L}{1,3} запис|користувач|отримувач)[^.;]{0,60}(?:не найден|не существует|неизвестен|неизвестный|не зарегистрирован|недействител|не знайден|не існує)/u,
  /(?:用户|用戶|收件人|收信人|邮箱|郵箱|信箱|(?<!ip ?)地址|帐号|账号|帳號|账户|使用者|收件者)[^。；;]{0,20}(?:不存在|未找到|找不到|无效|無效|不正确)|(?:(?:找不到|查无|查無)[^。；;，,]{0,16}|(?:没有|沒有|无此|無此)[^。；;，,]{0,3})(?:用户|用戶|收件人|邮箱|郵箱|信箱|地址|帐号|账号|帳號|使用者|收件者)/,
  /(?:존재하지 않는|없는|알 수 없는|잘못된|유효하지 않은) ?(?:사용자|수신자|수신인|메일|이메일|주소|계정|받는)|(?:사용자|수신자|수신인|메일 ?주소|이메일 ?주소|(?<!ip ?)주소|계정)[^.;]{0,20}(?:존재하지|찾을 수 없|없습니다|없음|잘못되|유효하지)/,
  /(?:(?<!ip ?)アドレス|宛先|あて先|ユーザ|メールボックス)[^。]{0,30}(?:見つかりません|存在しません|不明|ありません|間違)|(?:存在しない|不明な|無効な)(?:メール|アドレス|宛先|ユーザ)/,
]

/** The same in words that a server uses with a temporary code, too: they prove something only with a permanent one. */
export const UNAVAILABLE: readonly RegExp[] = [
  // Hotmail and Exchange 2003 "Requested action not taken: mailbox unavailable" (RFC 5321 4.2.3), Cisco "#5.1.0 Address
  // rejected", Postfix "Recipient address rejected" alone.
  /\bmailbox (?:is )?(?:unavailable|not available)\b|\b(?:recipient|address) rejected[.:]?(?: [^\s:]{1,80})?$|^[\d .#-]{3,20}address rejected\b/,
]

/** The connection, DNS, or the way between servers. */
export const NO_CONNECTION: readonly RegExp[] = [
  /\bconnection (?:refused|timed? ?out|reset|lost|dropped|closed|failed|died|attempt|problem|was|with|aborted|broken)\b|\b(?:lost|no|broken|closing|dropped) connection\b|\bconnect(?:ing)? (?:to )?\S{1,80} (?:refused|failed|timed)/,
  /\b(?:could not|couldn't|cannot|can't|unable to|failed to|did not accept our requests? to|not able to|wasn't able to) (?:establish |make |open )?(?:an? )?(?:smtp )?(?:connect|connection|reach|contact|deliver to host)\b/,
  /\b(?:network|host|server|domain|destination)(?: is| was|)? (?:not reachable|unreachable|down|not responding|not answering)\b|\bnot (?:responding|reachable)\b|\bno route to\b|\bno (?:answer|response) from\b|\btimed out\b|(?<!retry )\btime-?out\b|\bhost down\b|\bunreachable\b|\bdid not respond\b/,
  /\bdns (?:error|failure|query|lookup|server|type|timeout|problem)|\bname ?server\b|\b(?:cname|mx|name|dns|host|address) (?:lookup|look-up|query|resolution) (?:fail|error|timed|problem|temporar)|\bhost not found,? try again\b|\btry again later\b(?=.{0,20}\bdns)|\bservfail\b|\bnetwork error\b|\blook ?up (?:host|domain)\b|\btemporary lookup failure\b/,
  // Mail that goes in circles: Sendmail "Too many hops", Postfix "mail for x loops back to myself", qmail
  // "CNAME_lookup_failed", "it isn't in my control/locals file".
  /\btoo many (?:hops|received)\b|\bhop ?count\b|\bmail (?:forwarding )?loop|\bloops? (?:back|detected)|\brouting loop|\bloop detected\b|\bbest-preference mx\b|\bpossible loop\b/,
]

/** The server has tried to deliver the message for as long as its own limit allows. */
export const TRIED_TOO_LONG: readonly RegExp[] = [
  /\bexpired?\b|\bretry (?:timeout|time|limit|period)|\bin the queue (?:for )?(?:too long|more)|\bgiving up\b|\bgive up\b|\bgave up\b|\bqueue lifetime\b|\bnot (?:yet )?(?:been )?delivered (?:with)?in\b/,
  /\b(?:undelivered|not delivered|not be delivered|deliver) (?:for|after|within|in)(?: \w+){0,3} \d{1,7} (?:second|minute|hour|day)|\b(?:after|failed) \d{1,5} (?:hours?|days?|attempts|tries)\b|\b(?:multiple|repeated) (?:retries|attempts|deliver)|\bfor (?:the last |more than |over )?\d{1,7} (?:seconds|minutes|hours|days)\b/,
  /\b(?:could not|cannot|not) be delivered (?:within|in time)\b|\bdelay(?:ed)?\b|\bstill (?:trying|being tried|undelivered)|\bwarning message only\b/,
]

/** The server itself is at fault: its disk, its programs, its configuration. */
export const BROKEN: readonly RegExp[] = [
  /\b(?:internal|system|software|server|local|configuration|i\/o|input\/output|database|upstream|application) (?:\w+ )?(?:error|failure|fault|problem)\b|\binsufficient (?:system )?(?:storage|resources|disk|memory)\b|\bdisk (?:is )?full\b|\bmis-?configur|\bout of memory\b/,
  /\b(?:mailer|program|command|child|process|pipe|procmail|maildrop|script|shell|filter)\b[^.;]{0,60}\b(?:fail|error|died|exit|status|signal|denied|not found|cannot|can't|couldn't)|\bcan(?:'t|not) (?:create|open|write|execute)\b|\bcouldn't create\b|\bunknown mailer error\b|\bno such file\b|\bsyntax error\b|\bbad sequence\b|\bcommand (?:not|un)\w{0,12}\b|\bunrecogni[sz]ed command\b|\bnot implemented\b/,
]

/**
 * A request to retry later. With a temporary policy code (RFC 3463 3.8) it mostly means greylisting: rspamd, Exim's
 * ACLs.
 */
export const COME_BACK: readonly RegExp[] = [/\b(?:try|come back|retry)(?: \w+){0,2} (?:later|in \d{1,5})\b/]

/** A rule of the recipient or its server, not further explained. */
export const RULE: readonly RegExp[] = [
  // Google Groups and Exchange, in other languages.
  /\bnicht berechtigt\b|\bkeine berechtigung\b|\bberechtigung, nachrichten\b|\bnon autorisée?\b|\bpas autorisée?\b|\bn'(?:est|êtes) pas autoris|\bno (?:est[aá]|tiene)\b[^.;]{0,20}\b(?:autorizad|permiso)|\bnon (?:sei|è|dispone|hai)\b[^.;]{0,20}\b(?:autorizza|permess)|\bn[aã]o (?:est[aá]|tem)\b[^.;]{0,20}\b(?:autorizad|permiss)|\bgeen (?:toestemming|rechten)\b|нет (?:прав|разрешени)|(?:没有|沒有|无|無)(?:权限|權限)|権限がありません|권한이 없/,
  /\brejected:|\bpolic(?:y|ies)\b|\badministrative(?:ly)?\b|\baccess (?:is )?denied\b|\bprohibited\b|\bforbidden\b|\bnot (?:allowed|permitted|authori[sz]ed|welcome|accepted|trusted)\b|\brestrict|\bsecurity\b|\bdenied\b|\bunauthori[sz]ed\b|\bprotocol violation\b|\bdelivery not authori[sz]ed\b|\bpermission\b|\bmoderat|\bmember(?:s|ship)?\b|\bunacceptable\b|\bblocked\b|\brefus(?:ed|al)\b|\bnot (?:rfc|compliant)|\brfc ?\d{4}\b/,
]

/** Access to one recipient is denied, which mostly means that the address does not exist. */
export const ACCESS_TO_ADDRESS: readonly RegExp[] = [
  // Exchange Online "Recipient address rejected: Access denied" (5.4.1), and Postfix with a table of recipients.
  // Plural in "All recipient addresses rejected : Access denied".
  /\brecipient(?: address(?:es)?)? (?:rejected ?: )?access denied\b|\brecipient (?:address )?(?:was )?(?:rejected|refused|denied)(?:$| by\b|[.;])/,
]
