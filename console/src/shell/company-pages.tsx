/**
 * The pages of one company, which keep nothing of another one: none are shown for a company that the person does not
 * belong to.
 */
import { Outlet, useParams } from '@tanstack/react-router'
import { useMe } from '../api/session.ts'
import { later } from '../parts/later.ts'
import { isVisible } from './company.ts'

const CompanyNotFound = later<'CompanyNotFound', { id: string }>(
  () => import('./not-found.tsx'),
  'CompanyNotFound',
)

export function CompanyPages() {
  const { company } = useParams({ from: '/signed-in/c/$company' })
  return isVisible(useMe(), company) ? <Outlet key={company} /> : <CompanyNotFound id={company} />
}
