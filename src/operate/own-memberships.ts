/** A person's own memberships: confirming one, and leaving a company. */
import { personName } from '../people/person.ts'
import { StoreConflict } from '../store/store.ts'
import { OperateError } from './error.ts'
import type { OwnAccount } from './own-account.ts'
import type { SignInParts } from './sign-in.ts'

/** From now on the company's owners see when and from where the person signs in. */
export function confirmMembership(parts: SignInParts, self: OwnAccount, companyId: string): Promise<void> {
  return changeMembership(parts, self, companyId, 'confirmMembership', () =>
    parts.store.confirmMembership(self.person.id, companyId),
  )
}

/** The last owner of a company cannot leave. */
export function leaveCompany(parts: SignInParts, self: OwnAccount, companyId: string): Promise<void> {
  return changeMembership(parts, self, companyId, 'leaveCompany', () =>
    parts.store.setMembership(self.person.id, companyId, null, { keepOwner: true }),
  )
}

async function changeMembership(
  { store, clock }: Pick<SignInParts, 'store' | 'clock'>,
  { person }: Pick<OwnAccount, 'person'>,
  companyId: string,
  action: string,
  change: () => Promise<boolean>,
): Promise<void> {
  if (person.memberships.every((each) => each.companyId !== companyId)) throw noMembership()
  const target = personName(person)
  const noted = { companyId, target, detail: {} }
  const number = await store.addAudit({
    ...noted,
    at: clock.now(),
    actor: { kind: 'person', id: person.id, name: target },
    topic: 'change',
    action,
  })
  try {
    const isChanged = await change()
    await store.settleAudit(number, isChanged ? noted : null)
    if (!isChanged) throw noMembership()
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    await store.settleAudit(number, null)
    throw new OperateError('conflict', error.message, null, { cause: error })
  }
}

function noMembership(): OperateError {
  return new OperateError('not_found', 'you do not belong to this company')
}
