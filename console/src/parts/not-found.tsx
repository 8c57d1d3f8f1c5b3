import { Button, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function NotFound() {
  return (
    <Stack align="center" gap="sm" py="xl" ta="center">
      <Title order={1} size="h2">
        Page not found
      </Title>
      <Text c="dimmed">The address may be mistyped, or the page may have been removed.</Text>
      <Button component={Link} to="/">
        Go to the start page
      </Button>
    </Stack>
  )
}
