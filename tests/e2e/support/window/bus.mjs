// A session bus for windows.
import { once } from 'node:events'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { start } from '../processes.mjs'

const SERVICES = '/usr/share/dbus-1/services'

const settings = (
  services,
) => `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:tmpdir=/tmp</listen>
  <servicedir>${services}</servicedir>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`

/** Starts a bus in the folder, which starts no services but these. */
export async function startBus(folder, { services = [], env } = {}) {
  const own = join(folder, 'services')
  await mkdir(own)
  for (const name of services) await copyFile(join(SERVICES, `${name}.service`), join(own, `${name}.service`))
  const path = join(folder, 'bus.conf')
  await writeFile(path, settings(own))
  const daemon = start('dbus-daemon', [`--config-file=${path}`, '--nofork', '--print-address=3'], {
    env,
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
