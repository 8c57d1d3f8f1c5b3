/** Checks the keys of a message's DKIM signatures in DNS, as receivers find them now. */
import { useQueries } from '@tanstack/react-query'
import { checkQuery, type DomainCheck } from '../../api/domains.ts'
import type { EmailSource } from '../../api/email.ts'
import type { Check } from '../../checks/check.ts'

type CopySignature = EmailSource['signatures'][number]

/** A check for each signature, worst first; absent while DNS is asked. */
export function useSignatureChecks(company: string, signatures: readonly CopySignature[]): Check[] {
  const known = signatures.flatMap((signature) =>
    signature.key === null ? [] : [{ ...signature, key: signature.key }],
  )
  const answers = useQueries({
    queries: known.map(({ key }) => checkQuery(company, key.domain, { name: key.record, type: 'TXT' })),
  })
  const states = known.map((_, index) => answers[index]?.data)
  const verified = states.some((check) => check?.state === 'right')
  const inDns = known.flatMap((signature, index) => {
    const found = states[index]
    return found === undefined ? [] : [checkOf(signature, found, verified)]
  })
  const foreign = signatures.filter(({ key }) => key === null).map(unknownKey)
  return [...inDns, ...foreign].toSorted((a, b) => GRADES.indexOf(a.grade) - GRADES.indexOf(b.grade))
}

const GRADES: readonly Check['grade'][] = ['bad', 'poor', 'good']

function idOf({ domain, selector }: CopySignature): string {
  return `dkim-${selector}-${domain}`
}

function checkOf(signature: CopySignature, { state, name, advice }: DomainCheck, verified: boolean): Check {
  const id = idOf(signature)
  const { selector } = signature
  if (state === 'right') {
    return {
      id,
      grade: 'good',
      what: `DNS has the key of the DKIM signature (${selector}).`,
      why: `Receivers find it at ${name} now.`,
      todo: '',
    }
  }
  if (state === 'unknown') {
    return {
      id,
      grade: 'poor',
      what: `DNS does not answer for the key of the DKIM signature (${selector}).`,
      why: 'Receivers that get no answer either may delay the message.',
      todo: advice ?? '',
    }
  }
  return {
    id,
    grade: verified ? 'poor' : 'bad',
    what:
      state === 'missing'
        ? `DNS lacks the key of the DKIM signature (${selector}).`
        : `DNS has another record than the key of the DKIM signature (${selector}).`,
    why: verified
      ? 'Receivers cannot verify this signature. Another signature of the message still counts.'
      : 'Receivers that look now cannot verify the signature, and may refuse the message or put it into spam.',
    todo: advice ?? '',
  }
}

function unknownKey(signature: CopySignature): Check {
  return {
    id: idOf(signature),
    grade: 'poor',
    what: `The key of the DKIM signature (${signature.selector} of ${signature.domain}) is not, or no longer, a key of this company.`,
    why: 'Its record in DNS is not checked here.',
    todo: '',
  }
}
