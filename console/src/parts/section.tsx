import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useId } from 'react'

/** A section of a settings page: its title, an explanation, and an action. */
export function Section({
  title,
  about,
  action,
  children,
}: {
  title: string
  about?: ReactNode
  action?: ReactNode
  children?: ReactNode
}) {
  const id = useId()
  return (
    <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} aria-labelledby={id}>
      <Stack gap="md">
        <Group justify="space-between" align="flex-start" wrap="nowrap" gap="md">
          <div>
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            {about && (
              <Text component="div" c="dimmed" size="sm" mt={2}>
                {about}
              </Text>
            )}
          </div>
          {action && <div style={{ flexShrink: 0 }}>{action}</div>}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}
