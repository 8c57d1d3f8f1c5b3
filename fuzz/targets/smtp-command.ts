import { readCommand, readMail, readRecipient } from '../../src/submission/command.ts'
import { CommandRefusal, replyLines } from '../../src/submission/reply.ts'
import { assert, type FuzzTarget, words } from '../target.ts'

/** What a client of SMTP submission says in a line, and what it is answered: one line, whatever it said. */
export const smtpCommand: FuzzTarget = {
  name: 'smtp-command',
  about: 'commands of clients that hand mail in over SMTP',
  seeds: [
    'EHLO client.test',
    'MAIL FROM:<a@x.test> SIZE=1000 BODY=8BITMIME SMTPUTF8 AUTH=<>',
    'RCPT TO:<"a b"@x.test>',
    'RCPT TO: <@r.test,@s.test:a@x.test>',
    'MAIL FROM:<> RET=HDRS ENVID=a+3Db',
    'AUTH PLAIN AGEAYg==',
  ],
  tokens: words(
    '< > " \\ : @ = + , \t \0 \r \n \x1b ä MAIL RCPT FROM: TO: SIZE= AUTH=<> SMTPUTF8 BODY=8BITMIME <>',
  ),
  run(input) {
    const read = <Result>(work: () => Result): Result | undefined => {
      try {
        return work()
      } catch (error) {
        if (!(error instanceof CommandRefusal)) throw error
        const line = replyLines(error.reply)
        assert(
          /^[245]\d\d [\x20-\x7e]{0,500}\r\n$/.test(line),
          `a reply that is none: ${JSON.stringify(line)}`,
        )
        return undefined
      }
    }
    const command = read(() => readCommand(input))
    if (command === undefined) return
    assert(!/\s/.test(command.verb) && command.verb === command.verb.toUpperCase(), 'a verb that is none')
    const mail = read(() => readMail(command.rest))
    assert(mail === undefined || mail.size === null || mail.size >= 0, 'a size that is none')
    for (const path of [mail?.path, read(() => readRecipient(command.rest))]) {
      assert(path === undefined || !/[\0-\x08\x0a-\x1f\x7f]/.test(path), 'a control character in a path')
    }
  },
}
