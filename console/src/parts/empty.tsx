import { Group, Paper, Stack, Text, Title } from '@mantine/core'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

/** An empty state: names the missing things, says how to get the first one, and has the button for it. */
export function Empty({
  icon: Icon,
  title,
  action,
  children,
}: {
  icon: LucideIcon
  title: string
  action?: ReactNode
  children?: ReactNode
}) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="xs" ta="center">
        <Icon size={36} strokeWidth={1.5} aria-hidden />
        <Title order={2} size="h4">
          {title}
        </Title>
        {children && (
          <Text component="div" c="dimmed" size="sm" maw={520}>
            {children}
          </Text>
        )}
        {action && (
          <Group justify="center" mt="sm">
            {action}
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
