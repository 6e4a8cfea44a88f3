import type { Plugin } from 'vite'

/** Provides the module `virtual:guides`. */
export const compileGuides: Plugin
