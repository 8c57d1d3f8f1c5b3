/** The filters of `/v1/analytics`: all of their conditions must hold. */

import type { Principal, SendingDomain } from '../../../accounts/account.ts'
import { invalidField } from '../../../intake/refusal.ts'
import { PASSAGE, WORD } from '../../bounds.ts'
import type { HttpCore } from '../../core.ts'
import { ownDomain } from '../own-domain.ts'
import { onlyDomain } from '../stats/routes.ts'

/** The most values of a condition: about as many short ones as an expression can hold. */
const MAX_VALUES = 1_000

export const FILTER = {
  type: 'object',
  required: ['AND'],
  properties: {
    AND: {
      type: 'array',
      maxItems: 20,
      items: {
        type: 'object',
        required: ['attribute', 'comparator', 'values'],
        properties: {
          attribute: WORD,
          comparator: { enum: ['=', '!=', 'contains', 'not contains'] },
          values: {
            type: 'array',
            minItems: 1,
            maxItems: MAX_VALUES,
            items: { type: 'object', required: ['value'], properties: { label: PASSAGE, value: PASSAGE } },
          },
        },
      },
    },
  },
} as const

export interface FilterCondition {
  attribute: string
  comparator: '=' | '!=' | 'contains' | 'not contains'
  values: { value: string }[]
}

/** The domain of the request, and the other conditions. `name`: the attribute of the domain. Rejects with a Refusal. */
export async function domainOf(
  core: HttpCore,
  caller: Principal,
  conditions: readonly FilterCondition[],
  name = 'domain',
): Promise<{ domain: SendingDomain | null; others: FilterCondition[] }> {
  const [about, ...more] = conditions.filter(({ attribute }) => attribute === name)
  const others = conditions.filter(({ attribute }) => attribute !== name)
  if (about === undefined) return { domain: onlyDomain(core, caller), others }
  const [value, ...values] = about.values
  if (more.length > 0 || values.length > 0 || about.comparator !== '=') {
    throw invalidField('filter', `the filter for ${name} must be given once, with = and one value`)
  }
  return { domain: await ownDomain(core, caller, value!.value), others }
}

/** Whether the condition holds for a text. `text`: in lower case. */
export function holds({ comparator, values }: FilterCondition, text: string): boolean {
  const wanted = values.map(({ value }) => value.toLowerCase())
  const contains = () => wanted.some((value) => text.includes(value))
  switch (comparator) {
    case '=':
      return wanted.includes(text)
    case '!=':
      return !wanted.includes(text)
    case 'contains':
      return contains()
    case 'not contains':
      return !contains()
  }
}
