import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  plugins: [react()],
  // A client under test brings an older React to the root of the checkout.
  resolve: { dedupe: ['react', 'react-dom'] },
  // What looks for patterns in names of mail programs asks which system it runs on.
  define: { 'process.platform': '"browser"' },
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    // Small files would become data: URLs, which the page's own policy refuses for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What each page takes: test/console/weight.test.ts.
    manifest: true,
    rolldownOptions: {
      // The same patterns ask for modules of Node.js that they can do without.
      onLog(level, log, tell) {
        if (!log.message.includes('externalized for browser compatibility')) tell(level, log)
      },
      output: {
        // What most pages share is asked for at once, and compressed together.
        codeSplitting: { groups: [{ name: 'shared', minShareCount: 8 }] },
      },
    },
    chunkSizeWarningLimit: 2_000,
  },
  server: { proxy: { '/console/api': 'http://127.0.0.1:8587' } },
})
