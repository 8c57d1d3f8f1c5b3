import { Button } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { useIsUnanswered, useLastAnswer } from '../api/answering.ts'
import { router } from '../router.tsx'
import classes from './no-answer-notice.module.css'

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })

/** A notice while the service does not answer: a line, or more while people wait for a part of the page. */
export function NoAnswerNotice() {
  const unanswered = useIsUnanswered()
  const lastAnswer = useLastAnswer()
  const left = useRouterState({
    router,
    select: ({ location, resolvedLocation }) =>
      resolvedLocation !== undefined && resolvedLocation.href !== location.href
        ? resolvedLocation.href
        : null,
  })
  return (
    <div role="status" className={classes.place}>
      {!unanswered && lastAnswer !== null && (
        <div className={classes.quiet}>
          Postroad does not answer. Last answer at {CLOCK.format(lastAnswer)}.
        </div>
      )}
      {unanswered && (
        <div className={classes.notice}>
          <b>Postroad does not answer</b>
          <p>It may be restarting. The page continues as soon as it answers.</p>
          {left !== null && (
            <Button
              size="xs"
              variant="default"
              onClick={() => void router.navigate({ to: left, replace: true })}
            >
              Stay on this page
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
