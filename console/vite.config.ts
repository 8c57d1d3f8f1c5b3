import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Modules of forms, tables and actions, which the list of emails does without. */
const LATER =
  /parts\/(form|list-table|confirm|action-button|focus-return|empty|pending)|mantine\/(notifications|modals)|\/Table\/|mutationObserver/

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  // A client that the tests install brings an older React to the root of the checkout.
  resolve: { dedupe: ['react', 'react-dom'] },
  // The library that matches names of mail programs reads the platform.
  define: { 'process.platform': '"browser"' },
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Small files would become data: URLs, which the page's Content-Security-Policy refuses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Read by test/console/weight.test.ts, which bounds the size of each page.
    manifest: true,
    rolldownOptions: {
      // The same library imports modules of Node.js that it can do without.
      onLog(level, log, tell) {
        if (!log.message.includes('externalized for browser compatibility')) tell(level, log)
      },
      output: {
        // Modules that most pages share are loaded as one chunk, and compressed together.
        codeSplitting: {
          groups: [
            { name: 'shared', minShareCount: 12, test: (module) => !LATER.test(module) },
            // Each icon is a file, and small files that several pages load cost more each by itself.
            { name: 'icons', minShareCount: 3, test: /lucide-react\/.*\/icons\// },
          ],
        },
      },
    },
    chunkSizeWarningLimit: 2_000,
  },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8587' } },
})
