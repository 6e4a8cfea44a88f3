//! Packs contacts into as few requests as the limits allow.

use roost_model::contact::MergeType;

use super::ContactItem;
use crate::{
    input::RequestLimits,
    row::{ContactRow, KeyKind},
};

/// A request while contacts are added to it.
#[derive(Debug)]
pub(super) struct PackedRequest {
    pub list: i64,
    pub wave: u32,
    pub merge: MergeType,
    pub region: Option<String>,
    pub items: Vec<ContactItem>,
    bytes: usize,
}

/// A contact that has to be put into a request.
#[derive(Debug)]
pub(super) struct ContactToSend {
    pub list: i64,
    /// Contacts that share a number are sent in different waves. One wave is verified before the next is sent.
    pub wave: u32,
    pub region: Option<String>,
    /// The merge types with which it may be sent. Any of them is right.
    pub merges: Vec<MergeType>,
    pub item: ContactItem,
}

/// Returns the kind of number by which the service finds the contacts of such a request.
pub fn key_kind_of_merge(merge: MergeType) -> Option<KeyKind> {
    match merge {
        MergeType::MergeByPhone => Some(KeyKind::Phone),
        MergeType::MergeByWhatsapp => Some(KeyKind::Whatsapp),
        MergeType::SkipDuplicates | MergeType::AllowDuplicates => None,
    }
}

impl ContactToSend {
    /// Builds the body for one merge type: the changed values and the number that identifies the contact.
    fn build_body(&self, merge: MergeType) -> ContactRow {
        let mut body = self.item.send.clone();
        if let (Some(kind), Some(before)) = (key_kind_of_merge(merge), &self.item.before) {
            body.set(kind.field(), before.get(kind.field()));
        }
        body
    }

    fn body_bytes(&self, body: &ContactRow) -> usize {
        let nulls: usize = self.item.clear.iter().map(|field| field.name().len() + ",\"\":null".len()).sum();
        body.json_size() + nulls + 1
    }
}

/// Packs by first fit. Contacts that allow two merge types come last and join any open request, so no two requests
/// could be joined into one.
pub(super) fn pack_requests(mut cargo: Vec<ContactToSend>, limits: &RequestLimits) -> Vec<PackedRequest> {
    cargo.sort_unstable_by_key(|one| (one.list, one.wave, one.merges.len(), one.item.id));
    let mut parcels: Vec<PackedRequest> = Vec::new();
    let mut first_of_list = 0;
    for one in cargo {
        if parcels.get(first_of_list).is_none_or(|first| (first.list, first.wave) != (one.list, one.wave)) {
            first_of_list = parcels.len();
        }
        let bodies: Vec<(MergeType, ContactRow, usize)> = one
            .merges
            .iter()
            .map(|merge| {
                let body = one.build_body(*merge);
                let bytes = one.body_bytes(&body);
                (*merge, body, bytes)
            })
            .collect();
        let fits = |parcel: &PackedRequest| {
            bodies.iter().position(|(merge, _, bytes)| {
                parcel.merge == *merge
                    && parcel.region == one.region
                    && parcel.items.len() < limits.rows
                    && parcel.bytes + bytes <= limits.bytes
            })
        };
        let open = (first_of_list..parcels.len()).find_map(|at| fits(&parcels[at]).map(|way| (at, way)));
        let (at, way) = open.unwrap_or_else(|| {
            let merge = bodies.first().map_or(MergeType::SkipDuplicates, |(merge, _, _)| *merge);
            parcels.push(PackedRequest {
                list: one.list,
                wave: one.wave,
                merge,
                region: one.region.clone(),
                items: Vec::new(),
                bytes: 1,
            });
            (parcels.len() - 1, 0)
        });
        if let Some((_, body, bytes)) = bodies.into_iter().nth(way) {
            parcels[at].bytes += bytes;
            parcels[at].items.push(ContactItem { send: body, ..one.item });
        }
    }
    for parcel in &mut parcels {
        parcel.items.sort_by_key(|item| item.id);
    }
    parcels
}
