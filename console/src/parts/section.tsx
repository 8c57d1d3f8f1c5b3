import { Paper, type PaperProps, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'
import classes from './section.module.css'

interface SectionProps extends PaperProps {
  title: string
  about?: ReactNode
  action?: ReactNode
  children?: ReactNode
  /** Uses smaller type, for pages with several sections of figures. */
  compact?: boolean
}

/** A section of a page: its title, an explanation, and an action. */
export function Section({ title, about, action, children, compact = false, ...paper }: SectionProps) {
  const id = useId()
  return (
    <Paper
      component="section"
      withBorder
      p={compact ? 'md' : { base: 'md', sm: 'lg' }}
      aria-labelledby={id}
      {...paper}
    >
      <Stack gap={compact ? 'xs' : 'md'}>
        <div className={classes.head}>
          <Title order={2} size={compact ? 'h5' : 'h4'} id={id} className={classes.title}>
            {title}
          </Title>
          {action && <div className={classes.action}>{action}</div>}
          {about && (
            <Text
              component="div"
              c="dimmed"
              size={compact ? 'xs' : 'sm'}
              mt={compact ? 0 : 2}
              className={classes.about}
            >
              {about}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  )
}
