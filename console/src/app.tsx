import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { queries } from './api/queries.ts'
import { router } from './router.tsx'
import { styleNonce } from './style-nonce.ts'
import { theme, variables } from './theme.ts'

const colorScheme = localStorageColorSchemeManager({ key: 'postroad-color-scheme' })

/** It comes after the first view. What is told before that waits for it. */
const Notifications = lazy(async () => ({ default: (await import('@mantine/notifications')).Notifications }))

export function App() {
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      colorSchemeManager={colorScheme}
      defaultColorScheme="auto"
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <ModalsProvider>
          <Suspense>
            <Notifications position="bottom-right" />
          </Suspense>
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}
