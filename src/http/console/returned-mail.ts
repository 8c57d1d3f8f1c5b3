/** Returned mail, newest first, and each message as a file. */
import { companyName } from '../../operate/find.ts'
import { listReturnedMails, readReturnedMail } from '../../operate/returned-mail.ts'
import { isoTime } from '../../operate/shapes/time.ts'
import { cursorPage } from '../cursor-page.ts'
import { fileAnswer } from '../stored-files/file-answer.ts'
import type { RETURNED_ROUTES } from './contract/returned-mail.ts'
import type { Handlers } from './handlers.ts'

export const returnedMailHandlers: Handlers<typeof RETURNED_ROUTES> = {
  'GET /companies/:company/returned': async ({ op, company, query }) => {
    const { after, before, limit = 50, email, ...wanted } = query
    const filter = { ...wanted, company: company ?? undefined, emailId: email }
    const { data, previous, next } = await cursorPage(
      { limit, after, before },
      (page) => listReturnedMails(op, { ...filter, ...page }),
      ({ id }) => id,
    )
    const shown = data.map(({ at, companyId, emailId, findings, ...mail }) => ({
      ...mail,
      at: isoTime(at),
      company: companyId === null ? null : { id: companyId, name: companyName(op, companyId) },
      email: emailId,
      findings: [...findings],
    }))
    return { data: shown, previous, next }
  },

  'GET /companies/:company/returned/:id/source.eml': async ({ op, company, params: { id } }) =>
    fileAnswer({
      filename: `${id}.eml`,
      contentType: 'message/rfc822',
      octets: Buffer.from(await readReturnedMail(op, { company: company ?? undefined, id })),
    }),
}
