import { OperateError } from '../../operate/error.ts'

/** The company that a new thing is added to. */
export function oneCompany(company: string | null): string {
  if (company !== null) return company
  throw new OperateError('invalid', 'this belongs to one company: choose a company')
}
