/**
 * The phrases of servers, as data. Each pattern is searched for in the words of a reply: in lower case, without
 * addresses, at most 1,000 characters, all lines joined. A pattern must hold no repetition within a repetition and no
 * more than a few bounded gaps, so that it is linear; a test runs all of them over the longest replies.
 *
 * The comment beside a pattern names the software that uses the words. A reply that matches no list is judged by stage
 * and code alone.
 */

/** The server asks us to come back later. A match here takes precedence over all other lists. */
export const GREYLISTING: readonly RegExp[] = [
  // Postgrey "Greylisted, see ...", postscreen and rspamd "Greylisting in action", milter-greylist "Greylisting in
  // action".
  /\bgr[ea]y-?\s?list/,
]

/**
 * Marks where another server's words begin: Postfix "host mx.x.test[192.0.2.1] said: 550 ...", Exchange "Primary target
 * IP address responded with: ...", Exim "Response: ...", qmail "Remote host said: ...".
 */
export const QUOTING: readonly RegExp[] = [/\b(?:said|responded with|response|replied):/]

/** Words against our address, in sentences whose subject is the message: Gmail, Cisco, Cloudmark. */
export const REPUTATION: readonly RegExp[] = [
  /\breputation of (?:the |your )?sending ip\b|\bsending ip (?:address )?reputation\b/,
]

/** The recipient's own block list. */
export const RECIPIENT_LIST: readonly RegExp[] = [
  // "Blacklisted by recipient", "blocked by user".
  /\b(?:black-?listed|blocked|rejected) by (?:the )?(?:recipient|user|addressee)\b/,
]

/**
 * The message fails the SPF or DMARC policy of its own domain (RFC 7208, 7489). The remedy is in that domain's DNS, so
 * the refusal says nothing about other messages.
 */
export const UNPROVEN: readonly RegExp[] = [
  /\bdmarc\b|\bspf (?:check|validation|fail)|\bsender is unauthenticated\b|\bunauthenticated (?:e-?mail|sender)\b/,
  // Gmail "the From: header (RFC5322) in this message isn't aligned with ..." and "rate limited because DKIM
  // authentication didn't pass", Exchange Online "does not meet the required authentication level".
  /\b(?:isn't|is not|not) aligned with\b|\brate[- ]limited because (?:spf|dkim|the from)\b|\brequired authentication level\b/,
]

/** Words against the message: its content, or its claims. */
export const CONTENT: readonly RegExp[] = [
  // Exim's default ACL "This message contains a virus (...)", ClamAV milters, Gmail "552 5.7.0 ... potential security
  // issue".
  /\bvirus\b|\bmalware\b|\bphishing\b|\bpotential security issue\b/,
  // Lists of web addresses and domains in the text: URIBL, SURBL, Spamhaus DBL used on content.
  /\b(?:uri|url|link|domain)s? (?:in|within) (?:the|this|your) (?:message|body|mail|e-?mail)\b/,
  // "This message contains a prohibited word". Not what it contains by the way: MDaemon's "Message contains [1] file
  // attachments", "if this e-mail contained a mistake".
  /\b(?:message|e-?mail|mail|body|content) (?:contains?|contained|containing)(?: (?!attachments?\b|mistakes?\b|errors?\b|confidential\b)\S{1,30}){0,4} (?:virus(?:es)?|malware|malicious|infected|worms?|trojans?|phish\w{0,6}|spam\w{0,7}|unsolicited|bulk|junk|uri|url|links?|domains?|web ?sites?|characteristics|content|text|words?|phrases?|keywords?|patterns?|strings?|scripts?|code|macros?|executables?|exe|zip|html|image|characters?|headers?|banned|blocked|dangerous|disallowed|forbidden|illegal|inappropriate|invalid|objectionable|obscene|offensive|profanit(?:y|ies)|prohibited|restricted|suspect|suspicious|unacceptable|unauthori[sz]ed|undesirable|unsafe|unwanted|bare|8[- ]?bit|threats?|adult|porn\w{0,8}|something)\b/,
  // "URL ... listed on the Spamhaus DBL", which lists domains and no addresses of servers.
  /\b(?:uri|url|link|domain)s?\b[^.;]{0,60} (?:is |are )?listed\b/,
  // "attachment type blocked".
  /\battachments?\b[^.;]{0,40} (?:blocked|rejected|(?:not|isn't) (?:allowed|permitted|accepted)|prohibited)\b/,
  /\buribl\b|\bsurbl\b|\bblacklisted url\b|\bspamvertised\b/,
  // Gmail "likely unsolicited mail", Exchange "content restrictions", mail.ru "spam message rejected", SpamAssassin
  // milters.
  /\bthis message is likely\b|\bcontent (?:restrictions?|rejected|policy)\b|\bspam (?:message|content|score)\b/,
  /\b(?:message|mail|it) (?:was |is |has been )?(?:looks like|appears to be|identified as|classified as|considered|detected as|marked as) (?:\w+ )?spam\b/,
  /\bhigh probability of spam\b|\bmatches a profile\b/,
  ...RECIPIENT_LIST,
  ...UNPROVEN,
]

/**
 * Limits on who may write to a recipient: Exchange's "RESOLVER.RST.AuthRequired; authentication required" of a group
 * that is closed to outsiders.
 */
export const RESTRICTED: readonly RegExp[] = [/\bresolver\.rst\b|\bwhen sending to this group\b/]

/** The server wants credentials, other credentials, or TLS before it takes any. */
export const CREDENTIALS: readonly RegExp[] = [
  // Many relays, chasquid "must be authenticated", Exchange "5.7.57 Client was not authenticated", OpenSMTPD "Must
  // issue an AUTH".
  /\bauthentication (?:is )?(?:required|needed|failed|unsuccessful|credentials invalid)\b/,
  /\bauthenticat(?:ion|e) (?:yourself )?(?:first|before)\b|\bplease (?:log ?in|authenticate)\b/,
  /\b(?:must|need to|have to) (?:first )?(?:be authenticated|authenticate|issue an? (?:auth|starttls))\b/,
  /\b(?:not|un)[ -]?authenticated (?:to send|client)|\bclient was not authenticated\b|\b(?:is|are|was) not authenticated\b/,
  // Sendmail and Zimbra relays "SMTP AUTH is required", Gmail's relay "5.5.1 Authentication Required", "Bad
  // credentials".
  /\bsmtp auth\b|\bauth(?:entication)?[- ]required\b|\b(?:bad|invalid) (?:credentials|user ?name or password|login)\b/,
]

/** The server does not relay for us. */
export const RELAYING: readonly RegExp[] = [
  // Exim's default ACL "relay not permitted", qmail-ldap and others "relaying not allowed", chasquid "Relay not
  // allowed".
  /\brelay(?:ing)? (?:is )?(?:not|isn't|is not) (?:permitted|allowed|authori[sz]ed|enabled)\b/,
  // Postfix "Relay access denied", Sendmail "Relaying denied", MailEnable "relaying prohibited".
  /\brelay(?:ing)?(?: access| mail| attempt)? (?:is |was )?(?:denied|prohibited|forbidden|refused|rejected|restricted|disallowed)\b/,
  // Exchange "5.7.1 Unable to relay", "5.7.54 Unable to relay recipient in non-accepted domain", IIS.
  /\b(?:unable|not (?:permitted|allowed|authori[sz]ed)|cannot|refuse) to relay\b|\b(?:we do not|don't|no|does not) relay\b/,
  // qmail's "sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)".
  /\brcpthosts\b/,
  // hMailServer and others.
  /\bnot (?:an? )?open relay\b|\b5\.7\.54\b/,
]

/** Words against our name, our address or our connection. */
export const HOST: readonly RegExp[] = [
  // Postfix: "<name>: Helo command rejected: need fully-qualified hostname" (504), "Host not found" (450), "Invalid
  // name" (501).
  /\bhelo command rejected\b|\bneed fully-qualified hostname\b/,
  // cPanel's Exim "Invalid HELO name (See RFC2821 4.1.1.1)", Exim "helo name", Sendmail "invalid domain name".
  /\b(?:invalid|bad|bogus|illegal|unacceptable|forged) (?:helo|ehlo)\b|\b(?:helo|ehlo)(?: name| hostname| argument)? (?:is )?(?:invalid|rejected|required|not)\b/,
  // Postfix: "Client host rejected: cannot find your (reverse) hostname", Sendmail "Fix reverse DNS for", Gmail's PTR
  // rule.
  /\bclient host rejected\b|\breverse (?:dns|hostname|lookup)\b|\b(?:ptr|rdns)\b/,
]

/** The server states plainly that our address is on a block list, or blocked. */
export const LISTED: readonly RegExp[] = [
  // Postfix "Client host [192.0.2.1] blocked using zen.spamhaus.org".
  /\bblocked using\b/,
  /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\]? (?:is|has been|was) (?:banned|blocked|listed)\b/,
  // Office 365 "Access denied, banned sending IP [...]" (5.7.606 to 5.7.649), "banned sender".
  /\bbanned send(?:er|ing)\b|\byour ip (?:address )?(?:\S{1,45} )?(?:is|has been|was) (?:banned|blocked|rejected|identified|listed|found)\b/,
]

/** Our address is on a block list, or not welcome. */
export const BLOCKED: readonly RegExp[] = [
  // Exim's default ACL "rejected because 192.0.2.1 is in a black list at ...", and all servers that write it in one
  // word. Not cPanel's guess about the recipient, "The account or domain may not exist, they may be blacklisted".
  /(?<!may be )\bblack[- ]?list|\bblock[- ]?list|\bdeny[- ]?list/,
  ...LISTED,
  // Sendmail's dnsbl, "listed at", "found in".
  /(?<!not )\blisted (?:at|by|in|on)\b|\brejected due to (?:dnsbl|listing)\b|\b(?:host|client|ip|server|network)\b[^.;]{0,60} blocked\b/,
  /\b(?:dns|r)bls?\b|\bspamhaus\b|\bspamcop\b|\bsorbs\b|\bbarracudacentral\b|\bcloudmark\b|\btrend micro rbl/,
  /\bnot accepted from (?:this|your) ip\b/,
  // Outlook.com "messages from [...] weren't sent ... part of their network is on our block list (S3150)".
  /\bpart of their network\b|\bs3[12][145]0\b/,
  // Cisco (IronPort) "due to the sending MTA's poor reputation", Mimecast "Poor Reputation Sender", Barracuda, Yahoo,
  // AT&T.
  /\b(?:poor|bad|low|negative) (?:\w+ )?reputation\b|\bconnections? (?:will not be|not) accepted from\b|\bip[^.;]{0,30} in spamhaus\b/,
  // Yahoo "[TSS09] All messages from 192.0.2.1 will be permanently deferred", also with 421.
  /\bwill be permanently deferred\b/,
  // Cisco "Your access to submit messages to this e-mail system has been rejected", Orange "Service refused" (OFR006,
  // OFR_999).
  /\byour access to\b[^.;]{0,60} (?:rejected|denied|blocked)\b|\bofr(?:006_\d|_999)/,
  // Proofpoint "554 Blocked - see https://ipcheck.proofpoint.com/", T-Online "554 IP=... - A problem occurred."
  /\bipcheck\.proofpoint\b|\bip[=:] ?\S{0,45} - a problem occurred\b/,
  // Comcast, 1&1/GMX/web.de "Nemesis ESMTP Service not available. No SMTP service. IP address is block listed".
  /\bno smtp service\b|\byou are not allowed to connect\b|\bnot allowed to (?:send|submit)(?: mail| messages)? (?:from|to this (?:server|host|system|network|gateway))\b/,
  // Gmail "550 5.7.1 ... unusual rate of unsolicited mail originating from your IP address".
  /\bunsolicited mail originating from your ip\b/,
]

/** The server asks for encryption that we did not use. */
export const ENCRYPTION: readonly RegExp[] = [
  // Postfix 530 "Must issue a STARTTLS command first"; Gmail 421 "TLS required for ..."; Exchange "5.7.10 Encryption
  // needed".
  /\bstarttls\b.{0,40}\bfirst\b|\b(?:tls|ssl|encryption|encrypted connection) (?:is )?(?:required|needed)\b|\b(?:must|please) use (?:tls|ssl|encryption)\b/,
]

/** This sending address or domain may not be used along this path. */
export const SENDER: readonly RegExp[] = [
  // Postfix reject_sender_login_mismatch "<x>: Sender address rejected: not owned by user y", "not logged in".
  /\bsender address rejected: (?:not owned by|not logged in)/,
  // Postfix reject_unknown_sender_domain "Sender address rejected: Domain not found", verification: "undeliverable
  // address".
  /\bsender address rejected: (?:domain not found|undeliverable|unverified|user unknown|malformed)/,
  // Sendmail "Domain of sender address x does not exist", "Sender domain must exist", qmail "#5.1.8".
  /\bdomain of sender\b|\bsender(?:'s)? domain (?:must|does not|not|is not)\b/,
  // Exim "Sender verify failed", "Verification failed for <x>" (the lines after it are about the sender as well), "Too
  // many unrouteable sender addresses", "Could not complete sender verify callout"; chkuser "valid MX for sender
  // domain".
  /\bsender verif(?:y|ication) (?:fail|callout)|^(?:\d\.\d\.\d+ )?verification failed for\b/,
  /\bunrouteable sender\b|\bmx for (?:the )?sender(?:'s)? domain\b/,
  // Exchange Online "5.7.60 Client does not have permissions to send as this sender", Exchange "send on behalf of".
  /\bpermissions? to send (?:as|on behalf)\b|\bsend ?as ?denied\b/,
  // Amazon SES "Email address is not verified. The following identities failed the check", SendGrid "verified Sender
  // Identity".
  /\b(?:e-?mail address|sender|domain|identity|from address) (?:is |are )?(?:not|un)[ -]?verified\b|\bverified sender identity\b/,
  // Brevo, Mailgun, Postmark and hosters: "sender is not allowed", "not authorized to use this sender".
  /\bsender (?:address )?(?:is )?not (?:allowed|authori[sz]ed|permitted|valid)\b|\bnot (?:allowed|authori[sz]ed|permitted) to (?:use this sender|send (?:as|from))\b/,
  // mail.ru "not local sender over smtp", Yandex "Sender address rejected: not owned by authorized user", one.com,
  // Strato.
  /\bnot local sender\b|\bnot owned by (?:auth|user)|\bmust match (?:your |the )?(?:auth|login|account)/,
  // Limits of one sender or domain, which are not limits on us: cPanel "Domain acme.test has exceeded the max emails
  // per hour", policyd "Sender rate limit exceeded", QQ "Domain frequency limited".
  /\bdomain \S{1,255} has exceeded\b|\bdomain frequency limited\b|\bsender\b[^.;]{0,60} (?:rate|limit|quota)\b/,
  // Postfix reject_rhsbl_sender "Sender address [x] blocked using dbl.spamhaus.org": a list of domains.
  /\bsender address\b[^.;]{0,80} blocked using\b|\bblocked using (?:\S{1,60}\.)?(?:dbl|rhsbl|uribl|surbl)\b/,
  // Gmail "unusual rate of unsolicited mail originating from your SPF domain [acme.test 35]".
  /\bfrom your (?:spf|dkim|from) domain\b/,
]

/** At a relay any refusal of a sender is about us: Postfix gives it at RCPT, after all its checks of the recipient. */
export const SENDER_AT_RELAY: readonly RegExp[] = [/\bsender address rejected\b/]

/** Words against our account with a relay, in replies to MAIL, DATA and the final dot. */
export const ACCOUNT: readonly RegExp[] = [
  // Amazon SES "Sending suspended for this account", "not authorized to perform ses:SendRawEmail"; Mailjet, Mailgun,
  // hosters.
  /\bsending (?:is |has been )?(?:suspended|paused|disabled)\b|\bnot authorized to perform\b/,
  /\baccount (?:is|has been|was) (?:\w+ )?(?:suspended|blocked|disabled|deactivated|closed|locked)\b/,
  // SendGrid "Maximum credits exceeded"; Exchange Online "bad outbound sender" (5.1.8), "spam abuse detected"
  // (5.7.501).
  /\bcredits exceeded\b|\bbad outbound sender\b|\bspam abuse detected\b/,
]

/** We send too much: connections, messages, per hour. Counts whatever the code. */
export const BUSY: readonly RegExp[] = [
  // Postfix "Error: too many connections from", Exim "Too many concurrent SMTP connections", Sendmail "Too many open
  // connections".
  /\btoo many (?:\w+ ){0,3}(?:connections|sessions|threads|requests|connects)\b|\btoo many processes\b/,
  // Postfix anvil: "too much mail from", "too many recipients from", "too many AUTH commands from", "too many new TLS
  // sessions from".
  /\btoo much (?:mail|load|traffic)\b|\btoo many (?:\w+ ){1,3}from\b/,
  // Exim "too many messages in this connection", OpenSMTPD "Too many messages sent", Exchange "MessageRateLimit".
  /\btoo many (?:messages|e-?mails|mails)\b|\bmessages? ?rate ?limit/,
  // Sendmail "Connection rate limit exceeded", Haraka's and rspamd's "rate limit", Outlook.com "temporarily rate
  // limited" (4.7.650).
  /\brate[- ]?limit|\bthrottl|\bratelimit/,
  // Gmail "unusual rate of unsolicited mail"; "Peak SMTP relay limit exceeded"; "Daily user sending limit exceeded"
  // (5.4.5).
  /\bunusual rate\b|\b(?:relay|sending|submission|hourly|daily|message|connection|recipient|mail) (?:\w+ )?(?:limit|quota) (?:has been |was |is )?(?:exceeded|reached)\b/,
  /\bexceeded (?:\w+ ){0,4}(?:limit|rate|quota of)\b|\bsending quota\b/,
  // Yahoo "[TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints".
  /\btemporarily deferred due to\b|\btss0[1-8]\b|\bunexpected volume\b/,
  // Outlook.com "exceeded the maximum number of connections" (4.7.652), "limits for how many messages can be sent per
  // hour" (RP-001), Exchange Online "you have reached your daily limit for message recipients" (5.1.90).
  /\bmaximum number of connections\b|\blimits for how many messages\b|\breached your \w+ limit\b/,
  // QQ "Ip frequency limited", "Connection frequency limited"; NetEase "MI:CEL"; Orange "OFR004_104", "OFR005_105".
  /\bfrequency limited\b|\bmi:(?:cel|dmc|ccl|dcl)\b|\bofr00[45]_10[45]\b/,
  // Outlook.com "Server busy. Please try again later from [...]" (4.7.500), GMX "421 ... Server busy", Exchange 4.3.2
  // throttles.
  /\b(?:server|system) (?:is )?busy\b|\btoo busy\b|\bconcurrent connections?\b/,
]

/**
 * The message is larger than the server takes: Exim "Message size exceeds maximum permitted", OpenSMTPD and chasquid
 * "message too big".
 */
export const SIZE: readonly RegExp[] = [
  /\bsize (?:exceeds|limit)\b|\bexceeds (?:\w+ ){0,4}size\b|\bmessage (?:is )?too (?:big|large|long)\b/,
]

/** More recipients than one transaction may have (RFC 5321 4.5.3.1.10): Postfix, Exim, OpenSMTPD (451), chasquid. */
export const CROWDED: readonly RegExp[] = [/\btoo many recipients\b|\btoo many rcpts?\b/]

/** The mailbox gets too much mail at once, from all senders together. */
export const FLOODED: readonly RegExp[] = [
  // Gmail "receiving mail at a rate that prevents ...", "receiving mail too quickly"; Exchange "recipient thread limit
  // exceeded".
  /\breceiving mail (?:at a rate|too quickly)\b|\brecipient thread limit\b/,
]

/** The mailbox cannot take mail now. */
export const MAILBOX: readonly RegExp[] = [
  ...FLOODED,
  // "mailbox full", "over quota", "quota exceeded": all servers.
  /\b(?:mailbox|inbox|account|user|recipient|storage)(?: storage| quota)?(?:'s)? (?:is |has been )?(?:full|exceeded|over ?quota)\b|\bover ?quota\b/,
  // "The recipient mailbox has exceeded its storage limit".
  /\b(?:storage|mailbox|disk) (?:limit|quota|allocation)s?\b[^.;]{0,20} exceeded\b|\bexceeded (?:its |the |their )?(?:storage|mailbox|disk|allocated)\b/,
  // QQ.
  /\bspace (?:is )?not enough\b|\bout of storage space\b/,
]

/** The address does not exist. Never searched for in replies to MAIL, where such words are about the sender. */
export const DEAD: readonly RegExp[] = [
  // Postfix "User unknown in local recipient table" (and virtual mailbox, virtual alias, relay recipient), Sendmail
  // "User unknown".
  /\b(?:user|recipient|mailbox|address|account|addressee) (?:is )?unknown\b|\bunknown (?:user|recipient|mailbox|account|local[- ]part)\b/,
  // Exim's "Unknown user"; Gmail "The email account that you tried to reach does not exist"; Exchange "RecipNotFound".
  /\b(?:user|recipient|mailbox|address|account|alias|tried to reach)(?: \S{1,60})? (?:does not|doesn't|do not|did not|doesnt) exist\b/,
  // qmail and vpopmail "sorry, no mailbox here by that name (#5.1.1)", Courier, Zimbra.
  /\bno (?:such|valid) (?:user|recipient|mailbox|address|account|person|local user|e-?mail address)\b|\bno mailbox (?:here|by|found)\b/,
  // Yahoo "This user doesn't have a yahoo.com account", Apple, AOL "mailbox not found", Exchange "Recipient not found".
  /\bdoesn't have an? \S{1,80} account\b|\b(?:user|recipient|mailbox|account|e-?mail address)(?: was| is|) not found\b|\brecip(?:ient)?notfound\b/,
  // Barracuda and hosters: "not a valid mailbox", "not a known user", "is not a local mailbox".
  /\bnot a (?:valid|known|local) (?:user|mailbox|recipient|account)\b|\b(?:address|recipient|user|mailbox) (?:is )?no longer (?:valid|exists|active)\b/,
]
