// One of two workers of runners.test.mjs.
import { worker } from './worker.mjs'

worker('a')
