// One bundle for both homes: the Tauri window (served at /) and the web console (served at /__console/).
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { defineConfig } from 'vitest/config'

const emulator = process.env.ROOST_URL ?? 'http://127.0.0.1:4010'

export default defineConfig({
  base: './',
  plugins: [svelte()],
  clearScreen: false,
  build: {
    target: ['es2022', 'safari16.4', 'chrome111'],
    reportCompressedSize: false,
    // A compiled message does nothing by being loaded: each screen brings along its own.
    rolldownOptions: { treeshake: { moduleSideEffects: [{ test: /\/src\/gen\//, sideEffects: false }] } },
  },
  server: {
    host: '127.0.0.1',
    port: 5173,
    strictPort: true,
    proxy: {
      // The gate allows its own origin only, so the proxy speaks as the console itself.
      '/__console/': {
        target: emulator,
        changeOrigin: true,
        configure: (proxy) => proxy.on('proxyReq', (request) => request.setHeader('origin', emulator)),
      },
    },
  },
  resolve: process.env.VITEST ? { conditions: ['browser'] } : {},
  test: { environment: 'happy-dom', include: ['src/**/*.test.ts', 'lint/**/*.test.mjs'] },
})
