// A session bus of its own for a window.
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { start } from '../processes.mjs'

/** A bus on which a second start finds the first, and which starts no services. */
const BUS = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`

/** Starts a session bus whose settings are in the folder; `env` leads a window to it. */
export async function startBus(folder) {
  const settings = join(folder, 'bus.conf')
  await writeFile(settings, BUS)
  const daemon = start('dbus-daemon', [`--config-file=${settings}`, '--nofork', '--print-address=3'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [address] = await Promise.race([
    once(daemon.child.stdio[3], 'data'),
    daemon.ended.then(() => {
      throw new Error('dbus-daemon gave no address')
    }),
  ])
  return { env: { DBUS_SESSION_BUS_ADDRESS: String(address).trim() }, stop: () => daemon.stop() }
}
