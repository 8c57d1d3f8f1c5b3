/** Tags of mail of a sending domain: their descriptions, and whether they are listed. */
import type { TagNote } from '../store/store.ts'
import { OperateError } from './error.ts'
import { findDomain } from './find.ts'
import { type Operation, verb } from './verb.ts'

const LONGEST_DESCRIPTION = 1_000

export interface OneTag {
  /** Name or id. */
  domain: string
  tag: string
}

export const describeTag = verb(
  'manage',
  async (op, { description, ...one }: OneTag & { description: string }): Promise<void> => {
    if (
      description.length > LONGEST_DESCRIPTION ||
      !description.isWellFormed() ||
      description.includes('\0')
    ) {
      const message = `a description can have at most ${LONGEST_DESCRIPTION} characters and no NUL`
      throw new OperateError('invalid', message)
    }
    await op.store.noteTag({ ...(await noteOf(op, one)), description })
  },
  {
    action: 'describeTag',
    note: ({ domain, tag, description }) => ({ target: tag, detail: { domain, description } }),
  },
)

/** The tag is not listed until it is used again; its statistics stay. */
export const removeTag = verb(
  'manage',
  async (op, one: OneTag): Promise<void> => {
    await op.store.noteTag({ ...(await noteOf(op, one)), description: '', removedAt: op.now() })
  },
  { action: 'removeTag', note: ({ domain, tag }) => ({ target: tag, detail: { domain } }) },
)

async function noteOf(op: Operation, { domain: text, tag }: OneTag): Promise<TagNote> {
  const { id: domainId } = findDomain(op, text)
  const [note] = await op.store.tagNotes(domainId, tag)
  return note ?? { domainId, tag, description: '', removedAt: null }
}
