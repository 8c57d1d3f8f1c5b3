import { Button, Stack, Text, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function NotFound() {
  return (
    <Stack align="center" gap="sm" py="xl" ta="center">
      <Title order={1} size="h2">
        There is nothing here
      </Title>
      <Text c="dimmed">The address may have a slip of the pen, or what it named is gone.</Text>
      <Button component={Link} to="/">
        To the first page
      </Button>
    </Stack>
  )
}
