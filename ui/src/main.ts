// The entry point of the page.
import './app/style/tokens.css'
import './app/style/base.css'
import { mount } from 'svelte'
import { transport } from './api/call'
import { changeFeed } from './api/changes'
import App from './app/App.svelte'
import { overview } from './parts/overview.svelte'
import { preferences } from './parts/preferences.svelte'

/** How long the page may stay empty, and its window hidden, while the first response is pending. */
const FIRST_ANSWER_MS = 400

/** Shows the page. It is a function, because a language could not be loaded while this module waited at its top: its file
 *  imports the one with this module. */
async function showPage() {
  const target = document.querySelector('#app')
  if (target === null) throw new Error('BUG: index.html has no #app')
  // Start before the first call: no change may be lost between a response and the start of the feed.
  changeFeed.start()
  // Call before rendering, so that the responses do not wait for the first layout, and no second layout is needed.
  const first = Promise.all([overview.load(), preferences.load().catch(() => undefined)])
  await Promise.race([first, new Promise((resolve) => setTimeout(resolve, FIRST_ANSWER_MS))])
  await preferences.whenSpoken()
  mount(App, { target })
  void transport.ready()
}

void showPage()
