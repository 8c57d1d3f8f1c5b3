import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { Suspense } from 'react'
import { queries } from './api/queries.ts'
import { later } from './parts/later.ts'
import { router } from './router.tsx'
import { Unanswered } from './shell/unanswered.tsx'
import { styleNonce } from './style-nonce.ts'
import { theme, variables } from './theme.ts'

const colorScheme = localStorageColorSchemeManager({ key: 'postroad-color-scheme' })

/** Loaded after the first view; a notification that is raised earlier waits for them. */
const Overlays = later(() => import('./overlays.tsx'), 'Overlays')

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
        <Suspense>
          <Overlays />
        </Suspense>
        <RouterProvider router={router} />
        <Unanswered />
      </QueryClientProvider>
    </MantineProvider>
  )
}
