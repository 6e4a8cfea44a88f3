// Where the page begins.
import './app/style/tokens.css'
import './app/style/base.css'
import { mount } from 'svelte'
import { transport } from './api/call'
import { changeFeed } from './api/changes'
import App from './app/App.svelte'
import { overview } from './parts/overview.svelte'
import { preferences } from './parts/preferences.svelte'

/** The page stays empty, and its window hidden, at most this long while the first answer is on its way. */
const FIRST_ANSWER_MS = 400

const target = document.querySelector('#app')
if (target === null) throw new Error('BUG: index.html has no #app')
// Before anything is asked: no change may come between an answer and the beginning of the feed.
changeFeed.start()
// Asked before anything is drawn, so that the answers do not wait for the first layout, nor that for a second.
const first = Promise.all([overview.load(), preferences.load().catch(() => undefined)])
await Promise.race([first, new Promise((resolve) => setTimeout(resolve, FIRST_ANSWER_MS))])
mount(App, { target })
void transport.ready()
