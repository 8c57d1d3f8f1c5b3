import { OperateError } from '../../operate/error.ts'
import type { Asker } from '../endpoint.ts'

/** The company that a new thing is added to. */
export function oneCompany({ company }: Pick<Asker<'company'>, 'company'>): string {
  if (company !== null) return company
  throw new OperateError('invalid', 'this belongs to one company: choose a company')
}
