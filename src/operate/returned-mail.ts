/** Returned mail, as it is kept. */
import type { ArrivedMail, ReceivedMail } from '../inbound/arrived-mail.ts'
import { mailReceiver } from '../inbound/receive-mail.ts'
import { RETURN_PATHS, ReturnPathKey } from '../mail/return-path/return-path.ts'
import type { InboundFilter, InboundMail } from '../store/store.ts'
import { OperateError } from './error.ts'
import { type CompanyFilter, companyScope } from './find.ts'
import { verb } from './verb.ts'

export interface ReturnedMailsRequest extends CompanyFilter, Omit<InboundFilter, 'companyId' | 'id'> {}

/** Newest first. To a company, only mail about its emails exists. */
export const listReturnedMails = verb(
  'read',
  async (op, { company, ...filter }: ReturnedMailsRequest): Promise<InboundMail[]> => {
    const companyId = companyScope(op, { company })
    return await op.inTurn(companyId, () => op.store.inboundMails({ ...filter, companyId }))
  },
)

interface OneMail extends CompanyFilter {
  id: string
}

export const showReturnedMail = verb('read', async (op, { company, id }: OneMail): Promise<InboundMail> => {
  const [found] = await op.store.inboundMails({ companyId: companyScope(op, { company }), id, limit: 1 })
  if (found === undefined) throw new OperateError('not_found', `there is no returned mail with the id ${id}`)
  return found
})

/** The kept beginning of the message, as it arrived. */
export const readReturnedMail = verb('read', async (op, wanted: OneMail): Promise<Uint8Array> => {
  const { id } = await showReturnedMail(op, wanted)
  const raw = await op.store.readInboundMail(id)
  // Retention may have removed it in the meantime.
  if (raw === null) throw new OperateError('not_found', `there is no returned mail with the id ${id}`)
  return raw
})

/**
 * Receives a mail at the command line, as if it had come back over SMTP from an unknown server. Reports about domains
 * are kept, and not summed up.
 */
export const applyReturnedMail = verb(
  'operate',
  async (op, { raw }: Pick<ArrivedMail, 'raw'>): Promise<ReceivedMail> => {
    const receive = mailReceiver({
      store: op.store,
      returnPathKey: new ReturnPathKey((await op.seal()).derive(RETURN_PATHS)),
      keys: (name) => op.resolver().txt(name),
      domainReports: null,
      fullMailbox: op.setup.fullMailbox,
      workers: null,
      now: op.now,
    })
    return await receive({ raw, recipient: null, source: 'command', peer: '' })
  },
  null,
)
