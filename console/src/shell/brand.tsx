import { Anchor, Group, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'

export function Brand() {
  return (
    <Anchor component={Link} to="/" underline="never" c="inherit">
      <Group gap={8} wrap="nowrap">
        <img src="/console/icon.svg" width={26} height={26} alt="" />
        <Text fw={700}>Postroad</Text>
      </Group>
    </Anchor>
  )
}
