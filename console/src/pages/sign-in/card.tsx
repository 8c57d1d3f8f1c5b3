import { Center, Paper, Stack, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

/** The only content of a page for people who are not signed in. */
export function Card({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} - Postroad`
  }, [title])
  return (
    <Center component="main" mih="100vh" p="md">
      <Paper withBorder shadow="sm" p={{ base: 'lg', sm: 'xl' }} w="100%" maw={420}>
        <Stack gap="md">
          <img src="/console/icon.svg" width={40} height={40} alt="" />
          <div>
            <Title order={1} size="h2">
              {title}
            </Title>
            {about && (
              <Text c="dimmed" size="sm" mt={4}>
                {about}
              </Text>
            )}
          </div>
          {children}
        </Stack>
      </Paper>
    </Center>
  )
}
