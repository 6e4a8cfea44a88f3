// Written by tests/tooling/interface/clients.sh from the admin document; do not edit.
export interface paths {
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["assets.list"];
        put?: never;
        post: operations["assets.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{asset_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["assets.remove"];
        options?: never;
        head?: never;
        patch: operations["assets.change"];
        trace?: never;
    };
    "/callback_policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["callback_policy.get"];
        put: operations["callback_policy.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["callbacks.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{callback_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["callbacks.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{callback_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["callbacks.cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{callback_id}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["callbacks.hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{callback_id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["callbacks.redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/callbacks/{callback_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["callbacks.release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["clock.get"];
        put: operations["clock.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clock/advance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["clock.advance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/custom_fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["custom_fields.list"];
        put?: never;
        post: operations["custom_fields.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/custom_fields/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["custom_fields.remove"];
        options?: never;
        head?: never;
        patch: operations["custom_fields.rename"];
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["faults.clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["faults.explain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults/magic": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["faults.magic.get"];
        put: operations["faults.magic.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["faults.plan.get"];
        put: operations["faults.plan.put"];
        post?: never;
        delete: operations["faults.plan.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults/prefer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["faults.prefer.get"];
        put: operations["faults.prefer.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["faults.profile.get"];
        put: operations["faults.profile.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["faults.profiles.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["faults.list"];
        put?: never;
        post: operations["faults.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/faults/rules/{fault}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["faults.get"];
        put: operations["faults.put"];
        post?: never;
        delete: operations["faults.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fidelity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["fidelity.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/fidelity/header": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["fidelity.header.get"];
        put: operations["fidelity.header.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["hooks.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/hooks/{hook}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["hooks.get"];
        put: operations["hooks.put"];
        post?: never;
        delete: operations["hooks.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/inbound_messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["inbound_messages.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/job_policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["job_policy.get"];
        put: operations["job_policy.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["jobs.list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["jobs.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/drop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["jobs.drop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/fail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["jobs.fail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/moments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["jobs.moments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/outcomes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["jobs.outcomes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["jobs.pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["jobs.resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["jobs.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/jobs/{job_id}/step": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["jobs.step"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["journal.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["journal.change"];
        trace?: never;
    };
    "/journal/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["requests.count"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/journal/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["requests.find"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/journal/har": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["requests.archive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/journal/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["requests.verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["limits.get"];
        put: operations["limits.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["limits.change"];
        trace?: never;
    };
    "/limits/buckets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["limits.buckets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/lists/{list_uid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["lists.rename"];
        trace?: never;
    };
    "/livez": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["livez"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/opt_out_imports": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["opt_out_imports.run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/random": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["random.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["random.change"];
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/release_callbacks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["release_callbacks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["requests.list"];
        put?: never;
        post?: never;
        delete: operations["requests.clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests/{seq}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["requests.get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests/{seq}/curl": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["requests.curl"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests/{seq}/har": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["requests.har"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/requests/{seq}/http": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["requests.http"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/seed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: operations["seed.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/senders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["senders.list"];
        put?: never;
        post: operations["senders.request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/senders/{sender_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["senders.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/senders/{sender_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["senders.approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/senders/{sender_id}/refuse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["senders.refuse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["settings.get"];
        put: operations["settings.put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch: operations["settings.change"];
        trace?: never;
    };
    "/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/short_links/{link_id}/clicks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["clicks.list"];
        put?: never;
        post: operations["clicks.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["snapshots.list"];
        put?: never;
        post: operations["snapshots.take"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots/{snapshot}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["snapshots.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots/{snapshot}/diff/{other}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["snapshots.diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/snapshots/{snapshot}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["snapshots.restore"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["state.at"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/state/{resource}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["state.list"];
        put?: never;
        post: operations["state.make"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/state/{resource}/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["state.get"];
        put?: never;
        post?: never;
        delete: operations["state.remove"];
        options?: never;
        head?: never;
        patch: operations["state.change"];
        trace?: never;
    };
    "/state/{resource}/{key}/redo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["state.redo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/state/{resource}/{key}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["state.steps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/state/{resource}/{key}/undo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["state.undo"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unmatched": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["unmatched"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/web_opt_outs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["web_opt_outs.receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/worlds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["worlds.list"];
        put?: never;
        post: operations["worlds.add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/worlds/{world}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["worlds.get"];
        put?: never;
        post?: never;
        delete: operations["worlds.remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AccountImportResult: {
            copy: components["schemas"]["BackupCopy"] | null;
            imported: components["schemas"]["RecordCounts"] | null;
            opt_outs_removed: number | null;
            replaced: components["schemas"]["RecordCounts"] | null;
            reset: components["schemas"]["ResetReport"] | null;
        };
        AdminCalls: {
            enabled: boolean;
        };
        AdminError: {
            error: components["schemas"]["AdminErrorDetail"];
        };
        AdminErrorDetail: {
            code: string;
            hint: string;
            message: string;
            pointer: string | null;
        };
        AdminOptOut: {
            account_level_opt_out: boolean;
            asset_id: string | null;
            channel: string;
            number: string;
            opt_out_time: string;
            opt_out_type: string;
        };
        AdminSender: {
            id: string;
            name: string;
            /** @enum {string} */
            status: "Pending" | "Verified";
        };
        AdminSenderPage: {
            items: components["schemas"]["AdminSender"][];
            paging: components["schemas"]["Paging"];
        };
        AdvanceRequest: {
            by?: components["schemas"]["Duration"] | null;
            timeout?: components["schemas"]["Duration"] | null;
            to?: string | null;
            until?: components["schemas"]["AdvanceUntil"] | null;
        };
        /** @enum {string} */
        AdvanceUntil: "idle";
        /** @enum {string} */
        ArrangedPart: "settings" | "job_policy" | "callback_policy" | "faults" | "receivers" | "other" | "clock" | "ids" | "jobs";
        ArrangementChange: {
            from: unknown;
            name: string;
            part: components["schemas"]["ArrangedPart"];
            to: unknown;
        };
        Asset: {
            /** @enum {string} */
            channel: "SMS" | "WHATSAPP";
            enforce_account_level_opt_outs: boolean;
            id: string;
            keywords: string[];
            number: string;
        };
        AssetChange: {
            enforce_account_level_opt_outs?: boolean | null;
            keywords?: string[] | null;
        };
        AssetPage: {
            items: components["schemas"]["Asset"][];
            paging: components["schemas"]["Paging"];
        };
        AssetRequest: {
            channel: string;
            number: string;
        };
        Attempt: {
            error: string | null;
            /** @enum {string|null} */
            error_class: "no_address" | "refused" | "unresolved" | "timed_out" | "no_connection" | "broken" | "no_certificates" | "dropped" | null;
            finished_at: string | null;
            number: number;
            started_at: string;
            status: number | null;
            went: components["schemas"]["AttemptDetail"] | null;
        };
        AttemptDetail: {
            address: string | null;
            answer: string;
            body: string;
            connect: components["schemas"]["Duration"] | null;
            content_type: string;
            first_byte: components["schemas"]["Duration"] | null;
            headers: [
                string,
                string
            ][];
            took: components["schemas"]["Duration"];
        };
        BackupCopy: {
            file: string | null;
            snapshot: string | null;
        };
        BodyFault: ("malformed_json" | "wrong_content_type" | "duplicate_header") | {
            truncate: components["schemas"]["BodyFaultTruncate"];
        } | {
            trickle: components["schemas"]["BodyFaultTrickle"];
        };
        BodyFaultTrickle: {
            bytes_per_second: number;
        };
        BodyFaultTruncate: {
            bytes?: number | null;
        };
        Callback: {
            attempts: components["schemas"]["Attempt"][];
            body: string;
            correlation_id: string | null;
            id: number;
            job_id: number;
            next_at: string | null;
            /** @enum {string|null} */
            reason: "cancelled" | "dropped" | null;
            /** @enum {string} */
            state: "waiting" | "held" | "delivered" | "given_up";
            under_way: boolean;
            url: string | null;
        };
        CallbackDelay: "none" | {
            fixed: components["schemas"]["Duration"];
        } | {
            uniform: components["schemas"]["CallbackDelayUniform"];
        };
        CallbackDelayUniform: {
            max: components["schemas"]["Duration"];
            min: components["schemas"]["Duration"];
        };
        CallbackLosses: {
            drop: number;
            duplicate: number;
        };
        /** @enum {string} */
        CallbackOrder: "fifo" | "lifo" | "random";
        CallbackOutcome: number | string;
        CallbackPage: {
            items: components["schemas"]["Callback"][];
            paging: components["schemas"]["Paging"];
        };
        CallbackPolicy: {
            backoff?: components["schemas"]["Duration"][] | null;
            delay?: components["schemas"]["CallbackDelay"];
            drop?: number;
            duplicate?: number;
            /** @default {} */
            headers?: {
                [key: string]: string;
            };
            hold?: boolean;
            jitter?: number;
            order?: components["schemas"]["CallbackOrder"];
            parallel?: number | null;
            retries?: number | null;
            retry_on?: components["schemas"]["CallbackOutcome"][];
            seed?: number | null;
            sign?: components["schemas"]["CallbackSignature"];
            template?: components["schemas"]["CallbackTemplate"];
            timeout?: components["schemas"]["Duration"];
        };
        CallbackSignature: "none" | {
            hmac_sha256: components["schemas"]["CallbackSignatureHmacSha256"];
        };
        CallbackSignatureHmacSha256: {
            header: string;
            secret: string;
        };
        CallbackTemplate: "none" | {
            json: unknown;
        } | {
            text: components["schemas"]["CallbackTemplateText"];
        };
        CallbackTemplateText: {
            body: string;
            content_type: string;
        };
        CallbacksReleased: {
            items: number[];
        };
        CancelledWork: {
            callbacks: number;
            jobs: number;
            requests: number;
        };
        ChangedRecord: {
            fields: {
                [key: string]: unknown;
            };
            key: string;
        };
        ChangedRecords: {
            count: number;
            items: components["schemas"]["ChangedRecord"][];
        };
        Click: {
            browser: string | null;
            campaign_uid: string | null;
            device: string | null;
            link_id: string;
            operating_system: string | null;
            recipient: string | null;
            short_link_url: string;
            target_url: string;
            time: string;
            title: string;
        };
        ClickPage: {
            items: components["schemas"]["Click"][];
            paging: components["schemas"]["Paging"];
        };
        ClickRequest: {
            browser?: string | null;
            campaign_uid?: string | null;
            device?: string | null;
            operating_system?: string | null;
            recipient?: string | null;
        };
        Clock: {
            mode: components["schemas"]["ClockMode"];
            note: string | null;
            now: string;
            rate: number | null;
            real_time: string;
        };
        ClockAdvanced: {
            from: string;
            mode: components["schemas"]["ClockMode"];
            now: string;
            ran: components["schemas"]["CompletedWork"][];
        };
        /** @enum {string} */
        ClockMode: "real" | "offset" | "frozen" | "scaled";
        ClockRequest: {
            mode: components["schemas"]["ClockMode"];
            now?: string | null;
            rate?: number | null;
        };
        CompletedWork: {
            at: string;
            attempt: number | null;
            callback: number | null;
            job: number;
            status: number | null;
            /** @enum {string} */
            what: "job" | "callback";
        };
        /** @enum {string} */
        ConnectionEnd: "reset" | "empty" | "hang";
        CreatedWorld: {
            admin_token: string;
            admin_url: string;
            api_key: string;
            base_url: string;
            epoch: number;
            id: components["schemas"]["WorldId"];
            note: string | null;
            ttl: components["schemas"]["Duration"] | null;
        };
        CustomField: {
            label: string;
            number: number;
        };
        CustomFieldLabel: {
            label: string;
        };
        CustomFieldPage: {
            items: components["schemas"]["CustomField"][];
            paging: components["schemas"]["Paging"];
        };
        DiffRecord: {
            fields: {
                [key: string]: unknown;
            };
            key: string;
        };
        DiffRecords: {
            count: number;
            items: components["schemas"]["DiffRecord"][];
        };
        Duration: string;
        Fault: {
            expires_in: components["schemas"]["Duration"] | null;
            hits: number;
            name: string;
            position: number;
            rule: components["schemas"]["FaultRule"];
            seen: number;
            source: components["schemas"]["FaultSource"];
            warning: string | null;
        };
        FaultApply: {
            every?: number | null;
            first?: number | null;
            per_key_of?: string | null;
            probability?: number | null;
            recover_after?: number | null;
            seed?: number | null;
            skip?: number;
            window?: components["schemas"]["FaultWindow"] | null;
        };
        /** @enum {string} */
        FaultCommit: "before" | "after";
        FaultEffect: {
            body?: components["schemas"]["BodyFault"] | null;
            error?: string | null;
            headers?: {
                [key: string]: string;
            };
            latency?: components["schemas"]["Latency"] | null;
            line?: components["schemas"]["ConnectionEnd"] | null;
            retry_after?: components["schemas"]["Duration"] | null;
            status?: number | null;
        };
        FaultExplainRequest: {
            body?: unknown;
            /** @default {} */
            headers?: {
                [key: string]: string;
            };
            key?: string | null;
            method?: string | null;
            url: string;
        };
        FaultExplained: {
            fires: boolean;
            misses: components["schemas"]["FieldMismatch"][];
            name: string;
            source: components["schemas"]["FaultSource"];
            why: string | null;
        };
        FaultExplanation: {
            delays: string | null;
            fires: string | null;
            items: components["schemas"]["FaultExplained"][];
            operation: string;
        };
        FaultPage: {
            items: components["schemas"]["Fault"][];
            paging: components["schemas"]["Paging"];
        };
        FaultPlan: {
            id: string;
            intensity: number;
            length: components["schemas"]["Duration"];
            rules: components["schemas"]["FaultRule"][];
            seed: number;
        };
        FaultPlanInForce: {
            plan: components["schemas"]["FaultPlan"] | null;
        };
        FaultPlanWish: {
            intensity?: number | null;
            length?: components["schemas"]["Duration"] | null;
            seed?: number | null;
        };
        FaultProfile: {
            callbacks?: components["schemas"]["CallbackLosses"] | null;
            limit?: components["schemas"]["TightLimit"] | null;
            name: string;
            rules: components["schemas"]["FaultRule"][];
            what: string;
        };
        FaultProfilePage: {
            items: components["schemas"]["FaultProfile"][];
            paging: components["schemas"]["Paging"];
        };
        FaultRule: {
            apply?: components["schemas"]["FaultApply"];
            commit?: components["schemas"]["FaultCommit"];
            effect: components["schemas"]["FaultEffect"];
            match?: components["schemas"]["Matcher"] | null;
            name?: string | null;
            ttl?: components["schemas"]["Duration"] | null;
        };
        /** @enum {string} */
        FaultSource: "plan" | "profile" | "rule" | "prefer" | "magic";
        FaultWindow: {
            after?: components["schemas"]["Duration"];
            for?: components["schemas"]["Duration"] | null;
        };
        Fidelity: {
            counts: components["schemas"]["FidelityCounts"];
            items: components["schemas"]["FidelityRow"][];
            others: components["schemas"]["FidelityOther"][];
            paging: components["schemas"]["Paging"];
            score: components["schemas"]["FidelityScore"];
        };
        FidelityCounts: {
            assumed: number;
            documented: number;
            inferred: number;
        };
        FidelityHeader: {
            enabled: boolean;
        };
        /** @enum {string} */
        FidelityMark: "documented" | "inferred" | "assumed";
        FidelityOther: {
            decision: string;
            why: string;
        };
        FidelityRow: {
            decision: string;
            detail: components["schemas"]["FidelityMark"] | null;
            does: string;
            in_header: boolean;
            mark: components["schemas"]["FidelityMark"];
            name: string;
            note: string | null;
            observation: components["schemas"]["Observation"] | null;
            operations: string[];
            setting: string | null;
            value: unknown;
        };
        FidelityScore: {
            assumed: number;
            contradicted: number;
            documented: number;
            inferred: number;
            observed: number;
        };
        FieldMismatch: {
            field: string;
            found: string;
            wanted: string;
        };
        FoundRequests: {
            count: number;
            items: components["schemas"]["JournalLine"][];
        };
        HealthStatus: {
            /** @constant */
            server: "roost";
            /** @constant */
            status: "ok";
        };
        Hook: {
            came: number;
            dropped: number;
            has_more: boolean;
            items: components["schemas"]["HookCall"][];
            name: string;
            next: number;
            script: components["schemas"]["HookScriptLeft"];
            url: string;
        };
        HookAnswer: number | components["schemas"]["HookReply"];
        HookCall: {
            answered: number | null;
            at: string;
            attempt: number | null;
            body: string;
            bytes: number;
            callback_id: number | null;
            headers: [
                string,
                string
            ][];
            json: unknown;
            method: string;
            seq: number;
            target: string;
        };
        /** @enum {string} */
        HookLineEnd: "empty" | "reset";
        HookReply: {
            body?: string;
            delay?: components["schemas"]["Duration"];
            /** @default {} */
            headers?: {
                [key: string]: string;
            };
            line?: components["schemas"]["HookLineEnd"] | null;
            status?: number;
        };
        HookScript: {
            answers?: components["schemas"]["HookAnswer"][];
            then?: components["schemas"]["HookAnswer"] | null;
        };
        HookScriptLeft: {
            answers: components["schemas"]["HookReply"][];
            then: components["schemas"]["HookReply"];
        };
        HookSummary: {
            answers_left: number;
            came: number;
            dropped: number;
            kept: number;
            name: string;
            url: string;
        };
        HookSummaryPage: {
            items: components["schemas"]["HookSummary"][];
            paging: components["schemas"]["Paging"];
        };
        /** @enum {string} */
        IdStyle: "random" | "sequence" | "hash";
        InboundEffect: {
            opt_out: components["schemas"]["AdminOptOut"] | null;
        };
        InboundMessage: {
            asset_id: string;
            from: string;
            text: string;
        };
        Index: {
            document: string;
            links: {
                [key: string]: components["schemas"]["IndexLink"];
            };
            server_version: string;
            version: string;
        };
        IndexLink: {
            methods: string[];
            path: string;
        };
        Job: {
            callback_id: number | null;
            callback_url: string | null;
            contacts: number;
            correlation_id: string | null;
            done: number;
            fault: string | null;
            finished_at: string | null;
            held: boolean;
            id: number;
            list_id: string;
            list_name: string;
            merge_type: string;
            next_at: string | null;
            paused: boolean;
            queued_at: string;
            request: components["schemas"]["RequestLink"] | null;
            /** @enum {string} */
            state: "queued" | "done";
            totals: components["schemas"]["OutcomeTotals"];
        };
        JobEvent: {
            at: string;
            contacts: number;
            failed: number;
            first: number;
            imported: number;
            merged: number;
            parts: number;
            skipped: number;
            until: string;
            /** @enum {string} */
            what: "part" | "announced" | "paused" | "resumed" | "failed" | "dropped" | "given_up";
        };
        JobFault: {
            correlation_id?: string | null;
            fault: components["schemas"]["JobFaultKind"];
            first?: number | null;
            list_id?: string | null;
        };
        JobFaultKind: ("fail" | "never_finish" | "finish_twice" | "callback_first" | "lose_callback" | "drop") | {
            fail_after: number;
        } | {
            fail_numbers: string[];
        };
        JobMoments: {
            forgotten: number;
            items: components["schemas"]["JobEvent"][];
            paging: components["schemas"]["Paging"];
        };
        JobPage: {
            items: components["schemas"]["Job"][];
            paging: components["schemas"]["Paging"];
        };
        JobPolicy: {
            after?: components["schemas"]["Duration"];
            faults?: components["schemas"]["JobFault"][];
            per_second?: number;
            polls?: number;
            progress?: components["schemas"]["JobProgress"];
        };
        /** @enum {string} */
        JobProgress: "immediate" | "after" | "polls" | "rate" | "manual";
        JobStep: {
            contacts?: number;
        };
        JournalBody: {
            bytes: number;
            /** @enum {string} */
            state: "none" | "whole" | "cut" | "withheld" | "unread";
            text: string;
        };
        JournalChange: {
            admin_calls?: components["schemas"]["AdminCalls"] | null;
            bytes?: number | null;
            enabled?: boolean | null;
            lines?: number | null;
        };
        JournalFault: {
            message: string;
            path: string;
        };
        JournalGap: {
            first: number;
            last: number;
        };
        JournalIntendedResponse: {
            body: components["schemas"]["JournalBody"];
            status: number;
        };
        JournalLimits: {
            bytes: number;
            lines: number;
        };
        JournalLine: {
            at: string;
            attempt: number | null;
            /** @enum {string} */
            direction: "in" | "out";
            job: number | null;
            key: string | null;
            links?: components["schemas"]["JournalLinks"] | null;
            meant: components["schemas"]["JournalIntendedResponse"] | null;
            method: string;
            number: number;
            operation: string | null;
            real_at?: string | null;
            request: components["schemas"]["JournalMessage"];
            response: components["schemas"]["JournalMessage"];
            rule: string | null;
            seq: number;
            status: number | null;
            took?: components["schemas"]["Duration"] | null;
            url: string;
            why: components["schemas"]["JournalRefusal"] | null;
        };
        JournalLinks: {
            callbacks: number[];
            jobs: number[];
            request: components["schemas"]["RequestLink"] | null;
            rows: components["schemas"]["JournalRows"] | null;
        };
        JournalMessage: {
            body: components["schemas"]["JournalBody"];
            headers: [
                string,
                string
            ][];
        };
        JournalPosition: number | string;
        JournalRefusal: {
            check: string;
            faults: components["schemas"]["JournalFault"][];
            faults_total: number;
            words: string;
        };
        JournalRow: {
            contact_id: string | null;
            index: number;
            /** @enum {string} */
            outcome: "imported" | "merged";
        };
        JournalRows: {
            has_more: boolean;
            imported: number;
            items: components["schemas"]["JournalRow"][];
            merged: number;
        };
        JournalSearch: components["schemas"]["JournalSearchQuery"] | components["schemas"]["Matcher"];
        JournalSearchQuery: {
            limit?: number | null;
            match: components["schemas"]["Matcher"];
            since?: components["schemas"]["JournalPosition"] | null;
        };
        JournalState: {
            admin_calls: components["schemas"]["AdminCalls"];
            bytes: number;
            dropped: number;
            enabled: boolean;
            epoch: number;
            last: number;
            limits: components["schemas"]["JournalLimits"];
            lines: number;
        };
        KnownRoute: {
            method: string;
            name: string;
            path: string;
        };
        Latency: {
            fixed: components["schemas"]["Duration"];
        } | {
            uniform: components["schemas"]["LatencyUniform"];
        } | {
            log_normal: components["schemas"]["LatencyLogNormal"];
        } | {
            quantiles: components["schemas"]["LatencyQuantiles"];
        };
        LatencyLogNormal: {
            median: components["schemas"]["Duration"];
            sigma: number;
        };
        LatencyQuantiles: {
            p50: components["schemas"]["Duration"];
            p99: components["schemas"]["Duration"];
        };
        LatencyUniform: {
            max: components["schemas"]["Duration"];
            min: components["schemas"]["Duration"];
        };
        /** @enum {string} */
        LimitAlgorithm: "token_bucket" | "fixed_window";
        LimitBucket: {
            capacity: number;
            full_in: components["schemas"]["Duration"];
            key: string | null;
            level: number;
            operation: string | null;
            refused: number;
        };
        LimitBucketPage: {
            items: components["schemas"]["LimitBucket"][];
            paging: components["schemas"]["Paging"];
        };
        /** @enum {string} */
        LimitScope: "key+operation" | "key" | "operation" | "world";
        Limits: {
            algorithm: components["schemas"]["LimitAlgorithm"];
            burst: number;
            enabled: boolean;
            per_second: number;
            profile: string | null;
            retry_after: components["schemas"]["RetryAfter"];
            scope: components["schemas"]["LimitScope"];
            status: number;
        };
        LimitsRequest: {
            algorithm?: components["schemas"]["LimitAlgorithm"] | null;
            burst?: number | null;
            enabled?: boolean | null;
            per_second?: number | null;
            retry_after?: components["schemas"]["RetryAfter"] | null;
            scope?: components["schemas"]["LimitScope"] | null;
            status?: number | null;
        };
        ListRename: {
            name: string;
        };
        MagicNumber: {
            job?: components["schemas"]["JobFaultKind"] | null;
            number: string;
            rule?: components["schemas"]["FaultRule"] | null;
            what: string;
        };
        MagicNumbers: {
            enabled: boolean;
            items: components["schemas"]["MagicNumber"][];
            paging: components["schemas"]["Paging"];
        };
        MagicSwitch: {
            enabled: boolean;
        };
        Matcher: {
            body?: unknown;
            direction?: (string | number | boolean) | {
                absent?: boolean;
                case_insensitive?: boolean;
                contains?: string;
                does_not_contain?: string;
                does_not_match?: string;
                equal_to?: string | number | boolean;
                in?: (string | number | boolean)[];
                matches?: string;
            };
            headers?: {
                [key: string]: (string | number | boolean) | {
                    absent?: boolean;
                    case_insensitive?: boolean;
                    contains?: string;
                    does_not_contain?: string;
                    does_not_match?: string;
                    equal_to?: string | number | boolean;
                    in?: (string | number | boolean)[];
                    matches?: string;
                };
            };
            key?: (string | number | boolean) | {
                absent?: boolean;
                case_insensitive?: boolean;
                contains?: string;
                does_not_contain?: string;
                does_not_match?: string;
                equal_to?: string | number | boolean;
                in?: (string | number | boolean)[];
                matches?: string;
            };
            method?: (string | number | boolean) | {
                absent?: boolean;
                case_insensitive?: boolean;
                contains?: string;
                does_not_contain?: string;
                does_not_match?: string;
                equal_to?: string | number | boolean;
                in?: (string | number | boolean)[];
                matches?: string;
            };
            operation?: (string | number | boolean) | {
                absent?: boolean;
                case_insensitive?: boolean;
                contains?: string;
                does_not_contain?: string;
                does_not_match?: string;
                equal_to?: string | number | boolean;
                in?: (string | number | boolean)[];
                matches?: string;
            };
            path?: (string | number | boolean) | {
                absent?: boolean;
                case_insensitive?: boolean;
                contains?: string;
                does_not_contain?: string;
                does_not_match?: string;
                equal_to?: string | number | boolean;
                in?: (string | number | boolean)[];
                matches?: string;
            };
            query?: {
                [key: string]: (string | number | boolean) | {
                    absent?: boolean;
                    case_insensitive?: boolean;
                    contains?: string;
                    does_not_contain?: string;
                    does_not_match?: string;
                    equal_to?: string | number | boolean;
                    in?: (string | number | boolean)[];
                    matches?: string;
                };
            };
            rule?: (string | number | boolean) | {
                absent?: boolean;
                case_insensitive?: boolean;
                contains?: string;
                does_not_contain?: string;
                does_not_match?: string;
                equal_to?: string | number | boolean;
                in?: (string | number | boolean)[];
                matches?: string;
            };
            status?: unknown;
            url?: (string | number | boolean) | {
                absent?: boolean;
                case_insensitive?: boolean;
                contains?: string;
                does_not_contain?: string;
                does_not_match?: string;
                equal_to?: string | number | boolean;
                in?: (string | number | boolean)[];
                matches?: string;
            };
        };
        Matchers: components["schemas"]["Matcher"] | components["schemas"]["Matcher"][];
        NearLine: {
            method: string;
            misses: components["schemas"]["FieldMismatch"][];
            number: number;
            operation: string | null;
            seq: number;
            status: number | null;
            url: string;
        };
        /** @enum {string} */
        Observation: "observed" | "contradicted" | "undecided";
        OptOutImport: {
            rows: components["schemas"]["OptOutImportRow"][];
        };
        OptOutImportOutcome: {
            channel: string;
            message: string | null;
            number: string;
            /** @enum {string} */
            status: "success" | "failure";
        };
        OptOutImportReport: {
            items: components["schemas"]["OptOutImportOutcome"][];
            total_failed: number;
            total_submitted: number;
            total_succeeded: number;
        };
        OptOutImportRow: {
            asset_id?: string | null;
            channel?: string | null;
            number: string;
        };
        OutcomeEntry: {
            contact_id: string | null;
            index: number;
            number: string | null;
            /** @enum {string} */
            outcome: "imported" | "merged" | "skipped" | "failed";
            /** @enum {string|null} */
            reason: "duplicate" | "fault" | "operator" | "dropped" | "given_up" | "list_gone" | null;
        };
        OutcomeEntryPage: {
            items: components["schemas"]["OutcomeEntry"][];
            paging: components["schemas"]["Paging"];
        };
        OutcomeTotals: {
            failed: number;
            imported: number;
            merged: number;
            skipped: number;
        };
        Paging: {
            current_page: number;
            total_items: number;
            total_pages: number;
        };
        PreferSwitch: {
            enabled: boolean;
        };
        ProfileInForce: {
            name?: string | null;
        };
        Random: {
            acts: number;
            ids: components["schemas"]["IdStyle"];
            seed: number | null;
        };
        RandomChange: {
            ids?: components["schemas"]["IdStyle"] | null;
            seed?: number | null;
        };
        RecordCounts: {
            assets: number;
            contacts: number;
            custom_fields: number;
            lists: number;
            opt_outs: number;
            senders: number;
            short_links: number;
        };
        RecordStep: {
            at: string;
            is_undone: boolean;
            step: number;
        };
        RecordStepPage: {
            items: components["schemas"]["RecordStep"][];
            paging: components["schemas"]["Paging"];
        };
        RenamedList: {
            contact_count: number;
            created_at: string;
            name: string;
            uid: string;
            updated_at: string;
        };
        RequestCount: {
            count: number;
        };
        RequestLink: {
            number: number;
            seq: number | null;
        };
        RequestPage: {
            dropped: number;
            enabled: boolean;
            epoch: number;
            gap: components["schemas"]["JournalGap"] | null;
            has_more: boolean;
            items: components["schemas"]["JournalLine"][];
            last: number;
            next: string;
        };
        ResetReport: {
            cancelled: components["schemas"]["CancelledWork"];
            copy: components["schemas"]["BackupCopy"] | null;
            epoch: number;
            took: components["schemas"]["Duration"];
        };
        ResourceDiff: {
            added: components["schemas"]["DiffRecords"];
            changed: components["schemas"]["ChangedRecords"];
            removed: components["schemas"]["DiffRecords"];
        };
        ResourceDiffs: {
            assets: components["schemas"]["ResourceDiff"];
            contacts: components["schemas"]["ResourceDiff"];
            custom_fields: components["schemas"]["ResourceDiff"];
            jobs: components["schemas"]["ResourceDiff"];
            lists: components["schemas"]["ResourceDiff"];
            opt_outs: components["schemas"]["ResourceDiff"];
            senders: components["schemas"]["ResourceDiff"];
            short_links: components["schemas"]["ResourceDiff"];
        };
        RetryAfter: ("computed" | "none") | components["schemas"]["Duration"];
        SeedResult: {
            reset: components["schemas"]["ResetReport"];
            seeded: components["schemas"]["RecordCounts"];
        };
        SenderRequest: {
            name: string;
        };
        ServerCounts: {
            assets: number;
            contacts: number;
            custom_fields: number;
            jobs_waiting: number;
            lists: number;
            opt_outs: number;
            senders: number;
            short_links: number;
        };
        ServerInfo: {
            counts: components["schemas"]["ServerCounts"];
            pid: number;
            schema_version: number;
            short_link_base: string;
            uptime: components["schemas"]["Duration"];
            url: string;
            version: string;
        };
        Settings: {
            /** @enum {unknown} */
            auth?: "any" | "off" | "keys";
            "auth.keys"?: unknown;
            "callback.retries"?: unknown;
            /** @enum {unknown} */
            limits?: "on" | "off";
            "limits.per_second"?: unknown;
            /** @enum {unknown} */
            "lists.unique_names"?: "off" | "on";
            /** @enum {unknown} */
            "opt_outs.asset_fields"?: "keyword" | "asset";
            /** @enum {unknown} */
            "opt_outs.entries"?: "first" | "all";
            short_link_base?: unknown;
            "status.contact_create"?: ("200" | "201" | "202") | (200 | 201 | 202);
            "status.list_create"?: ("200" | "201") | (200 | 201);
            "status.opt_out_delete"?: ("200" | "201" | "202") | (200 | 201 | 202);
            /** @enum {unknown} */
            "strict.body_fields"?: "ignore" | "warn" | "refuse";
            /** @enum {unknown} */
            "strict.content_type"?: "ignore" | "warn" | "refuse";
            /** @enum {unknown} */
            "strict.deprecated_forms"?: "ignore" | "warn" | "refuse";
            /** @enum {unknown} */
            "strict.parameters"?: "ignore" | "warn" | "refuse";
            unknown_on_delete?: ("400" | "404") | (400 | 404);
        };
        SettleRequest: {
            correlation_id?: string | null;
            settled?: boolean;
            timeout?: components["schemas"]["Duration"];
        };
        SettleResult: {
            delivered: number;
            given_up: number;
            held: number;
            jobs_held: number;
            jobs_waiting: number;
            open: components["schemas"]["Callback"][];
            settled: boolean;
            stuck: boolean;
            undone: components["schemas"]["UnfinishedEntry"][];
            waiting: number;
        };
        Snapshot: {
            at: string;
            bytes: number;
            name: string;
        };
        SnapshotPage: {
            items: components["schemas"]["Snapshot"][];
            paging: components["schemas"]["Paging"];
        };
        SnapshotRequest: {
            name: string;
        };
        StateDiff: {
            added: number;
            arrangement: components["schemas"]["ArrangementChange"][];
            changed: number;
            from: string;
            is_empty: boolean;
            not_compared: string[];
            removed: number;
            resources: components["schemas"]["ResourceDiffs"];
            to: string;
        };
        StateRecord: {
            [key: string]: unknown;
        };
        StateRecordPage: {
            items: components["schemas"]["StateRecord"][];
            paging: components["schemas"]["Paging"];
        };
        StepTurnRequest: {
            record?: components["schemas"]["StateRecord"] | null;
            step: number;
        };
        StepTurnResult: {
            record: components["schemas"]["StateRecord"] | null;
        };
        TightLimit: {
            burst: number;
            per_second: number;
        };
        UnfinishedEntry: {
            hint: string | null;
            id: number;
            reason: string;
            /** @enum {string} */
            what: "job" | "callback";
        };
        UnmatchedPage: {
            dropped: number;
            enabled: boolean;
            items: components["schemas"]["UnmatchedRequest"][];
            paging: components["schemas"]["Paging"];
        };
        UnmatchedRequest: {
            at: string;
            closest: components["schemas"]["KnownRoute"][];
            method: string;
            number: number;
            seq: number;
            status: number | null;
            url: string;
            why: string;
        };
        Verified: {
            lines: number[];
            matched: number;
            message?: string | null;
            nearest: components["schemas"]["NearLine"][];
            note: string | null;
            verified: boolean;
            wanted: string;
        };
        VerifyRequest: {
            match: components["schemas"]["Matchers"];
            message?: string | null;
            order?: boolean;
            since?: components["schemas"]["JournalPosition"] | null;
            timeout?: components["schemas"]["Duration"] | null;
            times?: components["schemas"]["VerifyTimes"] | null;
        };
        VerifyTimes: {
            at_least?: number | null;
            at_most?: number | null;
            exactly?: number | null;
        };
        WebForm: {
            channel?: string | null;
            number: string;
        };
        World: {
            age: components["schemas"]["Duration"];
            base_url: string;
            epoch: number;
            expires_in: components["schemas"]["Duration"] | null;
            id: components["schemas"]["WorldId"];
            keys: string[];
            /** @enum {string} */
            kind: "own" | "file" | "lent";
            requests: number;
            snapshots: number;
            under_way: number;
        };
        WorldId: string;
        WorldPage: {
            items: components["schemas"]["World"][];
            paging: components["schemas"]["Paging"];
        };
        WorldRequest: {
            clock?: components["schemas"]["ClockRequest"] | null;
            from?: string | null;
            ids?: components["schemas"]["IdStyle"] | null;
            keys?: string[];
            name?: string | null;
            seed?: number | null;
            /** @default {} */
            settings?: {
                [key: string]: unknown;
            };
            ttl?: components["schemas"]["Duration"] | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    index: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Index"];
                };
            };
        };
    };
    "assets.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AssetPage"];
                };
            };
        };
    };
    "assets.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssetRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    "assets.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                asset_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "assets.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                asset_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AssetChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Asset"];
                };
            };
        };
    };
    "callback_policy.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackPolicy"];
                };
            };
        };
    };
    "callback_policy.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CallbackPolicy"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackPolicy"];
                };
            };
        };
    };
    "callbacks.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
                state?: string;
                correlation_id?: string;
                went?: string;
                wait?: components["schemas"]["Duration"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbackPage"];
                };
            };
        };
    };
    "callbacks.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callback_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Callback"];
                };
            };
        };
    };
    "callbacks.cancel": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callback_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Callback"];
                };
            };
        };
    };
    "callbacks.hold": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callback_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Callback"];
                };
            };
        };
    };
    "callbacks.redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callback_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Callback"];
                };
            };
        };
    };
    "callbacks.release": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callback_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Callback"];
                };
            };
        };
    };
    "clock.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clock"];
                };
            };
        };
    };
    "clock.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClockRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clock"];
                };
            };
        };
    };
    "clock.advance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdvanceRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClockAdvanced"];
                };
            };
        };
    };
    "custom_fields.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomFieldPage"];
                };
            };
        };
    };
    "custom_fields.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomFieldLabel"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomField"];
                };
            };
        };
    };
    "custom_fields.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "custom_fields.rename": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                number: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomFieldLabel"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomField"];
                };
            };
        };
    };
    events: {
        parameters: {
            query?: {
                since?: string;
                filter?: string;
                stable?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    export: {
        parameters: {
            query?: {
                format?: string;
                record?: string;
                contacts?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        assets?: Record<string, never>[];
                        custom_fields?: Record<string, never>[];
                        lists?: Record<string, never>[];
                        opt_outs?: Record<string, never>[];
                        senders?: Record<string, never>[];
                        short_link_base?: string;
                        short_links?: Record<string, never>[];
                        used_up?: Record<string, never>;
                    };
                    "application/vnd.sqlite3": string;
                    "application/x-ndjson": string;
                    "application/yaml": string;
                };
            };
        };
    };
    "faults.clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "faults.explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaultExplainRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultExplanation"];
                };
            };
        };
    };
    "faults.magic.get": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MagicNumbers"];
                };
            };
        };
    };
    "faults.magic.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MagicSwitch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MagicNumbers"];
                };
            };
        };
    };
    "faults.plan.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultPlanInForce"];
                };
            };
        };
    };
    "faults.plan.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaultPlanWish"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultPlan"];
                };
            };
        };
    };
    "faults.plan.remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "faults.prefer.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferSwitch"];
                };
            };
        };
    };
    "faults.prefer.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreferSwitch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreferSwitch"];
                };
            };
        };
    };
    "faults.profile.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileInForce"];
                };
            };
        };
    };
    "faults.profile.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProfileInForce"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileInForce"];
                };
            };
        };
    };
    "faults.profiles.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultProfilePage"];
                };
            };
        };
    };
    "faults.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FaultPage"];
                };
            };
        };
    };
    "faults.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaultRule"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fault"];
                };
            };
        };
    };
    "faults.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fault: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fault"];
                };
            };
        };
    };
    "faults.put": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fault: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FaultRule"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fault"];
                };
            };
        };
    };
    "faults.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fault: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "fidelity.get": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
                operation?: string;
                mark?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Fidelity"];
                };
            };
        };
    };
    "fidelity.header.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FidelityHeader"];
                };
            };
        };
    };
    "fidelity.header.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FidelityHeader"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FidelityHeader"];
                };
            };
        };
    };
    "hooks.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookSummaryPage"];
                };
            };
        };
    };
    "hooks.get": {
        parameters: {
            query?: {
                since?: string;
                count?: string;
                wait?: components["schemas"]["Duration"];
                limit?: string;
            };
            header?: never;
            path: {
                hook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hook"];
                };
            };
        };
    };
    "hooks.put": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hook: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookScript"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookSummary"];
                };
            };
        };
    };
    "hooks.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                hook: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    import: {
        parameters: {
            query?: {
                format?: string;
                mode?: string;
                dry_run?: string;
                opt_outs?: string;
                keep_copy?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    assets?: Record<string, never>[];
                    custom_fields?: Record<string, never>[];
                    lists?: Record<string, never>[];
                    opt_outs?: Record<string, never>[];
                    senders?: Record<string, never>[];
                    short_link_base?: string;
                    short_links?: Record<string, never>[];
                    used_up?: Record<string, never>;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountImportResult"];
                };
            };
        };
    };
    "inbound_messages.receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InboundMessage"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboundEffect"];
                };
            };
        };
    };
    info: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServerInfo"];
                };
            };
        };
    };
    "job_policy.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPolicy"];
                };
            };
        };
    };
    "job_policy.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobPolicy"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPolicy"];
                };
            };
        };
    };
    "jobs.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
        };
    };
    "jobs.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.drop": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.fail": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.moments": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobMoments"];
                };
            };
        };
    };
    "jobs.outcomes": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
                outcome?: string;
            };
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutcomeEntryPage"];
                };
            };
        };
    };
    "jobs.pause": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.resume": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.run": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "jobs.step": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobStep"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    "journal.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JournalState"];
                };
            };
        };
    };
    "journal.change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JournalChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JournalState"];
                };
            };
        };
    };
    "requests.count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JournalSearch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestCount"];
                };
            };
        };
    };
    "requests.find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JournalSearch"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundRequests"];
                };
            };
        };
    };
    "requests.archive": {
        parameters: {
            query?: {
                since?: string;
                filter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    "requests.verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyRequest"];
            };
        };
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verified"];
                };
            };
        };
    };
    "limits.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
        };
    };
    "limits.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LimitsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
        };
    };
    "limits.change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LimitsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
        };
    };
    "limits.buckets": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LimitBucketPage"];
                };
            };
        };
    };
    "lists.rename": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                list_uid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListRename"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RenamedList"];
                };
            };
        };
    };
    livez: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthStatus"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
        };
    };
    "opt_out_imports.run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OptOutImport"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OptOutImportReport"];
                };
            };
        };
    };
    "random.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Random"];
                };
            };
        };
    };
    "random.change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RandomChange"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Random"];
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthStatus"];
                };
            };
        };
    };
    release_callbacks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CallbacksReleased"];
                };
            };
        };
    };
    "requests.list": {
        parameters: {
            query?: {
                since?: string;
                filter?: string;
                wait?: components["schemas"]["Duration"];
                limit?: string;
                stable?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestPage"];
                };
            };
        };
    };
    "requests.clear": {
        parameters: {
            query?: {
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "requests.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                seq: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JournalLine"];
                };
            };
        };
    };
    "requests.curl": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                seq: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    "requests.har": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                seq: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
        };
    };
    "requests.http": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                seq: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    reset: {
        parameters: {
            query?: {
                keep?: string;
                mode?: string;
                opt_outs?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetReport"];
                };
            };
        };
    };
    "seed.put": {
        parameters: {
            query?: {
                once?: string;
                opt_outs?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    assets?: Record<string, never>[];
                    custom_fields?: Record<string, never>[];
                    lists?: Record<string, never>[];
                    opt_outs?: Record<string, never>[];
                    senders?: Record<string, never>[];
                    short_link_base?: string;
                    short_links?: Record<string, never>[];
                    used_up?: Record<string, never>;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SeedResult"];
                };
            };
        };
    };
    "senders.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSenderPage"];
                };
            };
        };
    };
    "senders.request": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SenderRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSender"];
                };
            };
        };
    };
    "senders.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sender_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "senders.approve": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sender_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminSender"];
                };
            };
        };
    };
    "senders.refuse": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                sender_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "settings.get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
        };
    };
    "settings.put": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settings"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
        };
    };
    "settings.change": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Settings"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Settings"];
                };
            };
        };
    };
    settle: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettleRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettleResult"];
                };
            };
        };
    };
    "clicks.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path: {
                link_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClickPage"];
                };
            };
        };
    };
    "clicks.add": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                link_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClickRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Click"];
                };
            };
        };
    };
    "snapshots.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SnapshotPage"];
                };
            };
        };
    };
    "snapshots.take": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SnapshotRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Snapshot"];
                };
            };
        };
    };
    "snapshots.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "snapshots.diff": {
        parameters: {
            query?: {
                limit?: string;
                ignore?: string;
            };
            header?: never;
            path: {
                snapshot: string;
                other: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateDiff"];
                };
            };
        };
    };
    "snapshots.restore": {
        parameters: {
            query?: {
                opt_outs?: string;
            };
            header?: never;
            path: {
                snapshot: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResetReport"];
                };
            };
        };
    };
    "state.at": {
        parameters: {
            query?: {
                at?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        assets?: Record<string, never>[];
                        custom_fields?: Record<string, never>[];
                        lists?: Record<string, never>[];
                        opt_outs?: Record<string, never>[];
                        senders?: Record<string, never>[];
                        short_link_base?: string;
                        short_links?: Record<string, never>[];
                        used_up?: Record<string, never>;
                    };
                };
            };
        };
    };
    "state.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
                list_uid?: string;
                q?: string;
            };
            header?: never;
            path: {
                resource: "senders" | "assets" | "custom_fields" | "lists" | "contacts" | "opt_outs" | "short_links" | "jobs";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateRecordPage"];
                };
            };
        };
    };
    "state.make": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource: "senders" | "assets" | "custom_fields" | "lists" | "contacts" | "opt_outs" | "short_links" | "jobs";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StateRecord"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateRecord"];
                };
            };
        };
    };
    "state.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource: "senders" | "assets" | "custom_fields" | "lists" | "contacts" | "opt_outs" | "short_links" | "jobs";
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateRecord"];
                };
            };
        };
    };
    "state.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource: "senders" | "assets" | "custom_fields" | "lists" | "contacts" | "opt_outs" | "short_links" | "jobs";
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    "state.change": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource: "senders" | "assets" | "custom_fields" | "lists" | "contacts" | "opt_outs" | "short_links" | "jobs";
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StateRecord"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateRecord"];
                };
            };
        };
    };
    "state.redo": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource: "senders" | "assets" | "custom_fields" | "lists" | "contacts" | "opt_outs" | "short_links" | "jobs";
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StepTurnRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepTurnResult"];
                };
            };
        };
    };
    "state.steps": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path: {
                resource: "senders" | "assets" | "custom_fields" | "lists" | "contacts" | "opt_outs" | "short_links" | "jobs";
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecordStepPage"];
                };
            };
        };
    };
    "state.undo": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                resource: "senders" | "assets" | "custom_fields" | "lists" | "contacts" | "opt_outs" | "short_links" | "jobs";
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StepTurnRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StepTurnResult"];
                };
            };
        };
    };
    unmatched: {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnmatchedPage"];
                };
            };
        };
    };
    "web_opt_outs.receive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebForm"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdminOptOut"];
                };
            };
        };
    };
    "worlds.list": {
        parameters: {
            query?: {
                page_number?: number | string;
                page_size?: number | string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorldPage"];
                };
            };
        };
    };
    "worlds.add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorldRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWorld"];
                };
            };
        };
    };
    "worlds.get": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                world: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["World"];
                };
            };
        };
    };
    "worlds.remove": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                world: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
