import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { type NextStepName, useNextStep } from './guide.ts'

const LABELS: Readonly<Record<NonNullable<NextStepName>, string>> = {
  company: 'Create your company',
  domain: 'Add your domain',
  records: 'Publish the DNS records',
  message: 'Send a test message',
}

/**
 * The one button of a page without content: the next step of the guide, or `otherwise` when there is none. `here`: the
 * step that `otherwise` does, if the person may do it on this page.
 */
export function NextStep({ here, otherwise = null }: { here?: NextStepName; otherwise?: ReactNode }) {
  const next = useNextStep()
  if (next === undefined) return null
  const { company, step } = next
  const isOwn = step === null || (step === here && otherwise !== null)
  return isOwn ? otherwise : <StepLink company={company} step={step} />
}

/** Leads to the first steps of the company, the named one among them. */
export function StepLink({ company, step }: { company: string; step: NonNullable<NextStepName> }) {
  return (
    <Button component={Link} to={`/c/${company}/start`} rightSection={<ArrowRight size={16} aria-hidden />}>
      {LABELS[step]}
    </Button>
  )
}
