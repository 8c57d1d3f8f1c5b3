import { Group, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { HostName } from './host-name.tsx'

/** The header of a page: its title, a line that explains it, and the actions for the page as a whole. */
export function PageHead({
  title,
  about,
  children,
}: {
  title: string
  about?: ReactNode
  children?: ReactNode
}) {
  useEffect(() => {
    document.title = `${title} - Postroad`
  }, [title])
  return (
    <Group component="header" justify="space-between" align="flex-start" mb="md" gap="sm">
      <div>
        <Title order={1} size="h2">
          <HostName>{title}</HostName>
        </Title>
        {about && (
          <Text c="dimmed" size="sm">
            {about}
          </Text>
        )}
      </div>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  )
}
