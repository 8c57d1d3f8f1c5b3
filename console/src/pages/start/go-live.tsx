/** The steps from the first message to real mail. The service checks each of them. */
import { Button } from '@mantine/core'
import { useQueries } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { stepQuery } from '../../api/start.ts'
import { AnchorLink } from '../../parts/anchor-link.tsx'
import { useMayManage } from '../../shell/company.ts'
import { StepList } from './step-list.tsx'
import { OF_COMPANY, OF_INSTALLATION } from './steps.ts'

/** `company`: the company whose domain is among the steps; `null`: only the installation. */
export function GoLive({ company, operator }: { company: string | null; operator: boolean }) {
  const mayManage = useMayManage()
  const steps = [
    ...(company === null ? [] : [OF_COMPANY.domain, OF_COMPANY.dns]).map((step) => ({ step, of: company })),
    ...(operator ? OF_INSTALLATION : []).map((step) => ({ step, of: null })),
  ]
  const results = useQueries({ queries: steps.map(({ step, of }) => stepQuery(of, step.name)) })
  if (steps.length === 0) return null
  return (
    <StepList
      title="Go live"
      about={
        <>
          Postroad checks each step from this machine.
          {operator && (
            <>
              {' '}
              <AnchorLink to="/installation" inherit underline="always">
                All checks of the installation
              </AnchorLink>
            </>
          )}
        </>
      }
      steps={steps.map(({ step, of }, index) => {
        const query = results[index]!
        const { data: result } = query
        const isOpen = of !== null && result !== undefined && result.state !== 'done'
        return {
          ...step,
          result,
          query,
          isChecked: true,
          content:
            isOpen &&
            (mayManage && step === OF_COMPANY.domain ? (
              <Button component={Link} to={`/c/${of}/domains?add=true`} size="xs">
                Add domain
              </Button>
            ) : (
              <AnchorLink to="/c/$company/domains" params={{ company: of }} size="sm">
                Domains
              </AnchorLink>
            )),
        }
      })}
    />
  )
}
