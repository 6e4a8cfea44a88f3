//! Parses the query of opt-outs. An empty value never widens the result.

use roost_model::{
    channel::Channel,
    id::AssetId,
    opt_out::{AssetFields, OptOutQuery, OptOutType},
    page::{PageRequest, SortOrder},
    phone,
    time::TimeBound,
};

use super::INVALID_CHANNEL;
use crate::{
    envelope::{RestError, ValidationError},
    query::QueryString,
};

const DEFAULT_PAGE_SIZE: i32 = 10;
const MAX_PAGE_SIZE: i32 = 1000;
const INVALID_NUMBER: &str = "Invalid number. Supply a valid E.164 number, or a national number with country_code.";
const INVALID_TYPE: &str = "Invalid opt_out_type. Allowed values: keyword, web_opt_out, account_import, api_import.";

pub fn parse_query(query: &QueryString<'_>) -> Result<OptOutQuery, RestError> {
    let number = query.integer_value("page_number")?.unwrap_or(1);
    let size = query.integer_value("page_size")?.unwrap_or(DEFAULT_PAGE_SIZE);
    let from = time_bound(query, "start_time")?;
    let to = time_bound(query, "end_time")?;
    let phone = query
        .first_value("number")
        .map(|raw| phone::parse_international(raw).ok_or(RestError::InvalidUntraced(INVALID_NUMBER)))
        .transpose()?;
    if query.all_values("opt_out_type").nth(1).is_some() {
        return Err(RestError::InvalidUntraced(INVALID_TYPE));
    }
    let kind = query
        .first_value("opt_out_type")
        .map(|raw| OptOutType::parse(raw).ok_or(RestError::InvalidUntraced(INVALID_TYPE)))
        .transpose()?;
    let channel = query
        .first_value("channel")
        .map(|raw| Channel::parse(raw).ok_or(RestError::InvalidUntraced(INVALID_CHANNEL)))
        .transpose()?;
    let asset = query
        .first_value("asset_id")
        .map(|raw| AssetId::parse(raw).map_err(|e| RestError::BadUid { field: "getOptOuts.assetId", given: e.given }))
        .transpose()?;
    let mut entries = Vec::new();
    if number < 1 {
        entries.push(ValidationError::new("getOptOuts.pageNumber", "page.number.generic", number));
    }
    if !(1..=MAX_PAGE_SIZE).contains(&size) {
        entries.push(ValidationError::new("getOptOuts.pageSize", "page.size.generic", size));
    }
    let order = query.filled_value("sort_order").map_or(Some(SortOrder::Descending), SortOrder::parse);
    if order.is_none() {
        entries.push(ValidationError::new(
            "getOptOuts.sortOrder",
            "sorting.order.generic",
            query.first_value("sort_order"),
        ));
    }
    match order {
        Some(order) if entries.is_empty() => Ok(OptOutQuery {
            number: phone.map(|p| p.e164),
            kind,
            channel,
            asset,
            inbound_number: query.first_value("inbound_number").map(phone::without_separators),
            from,
            to,
            order,
            page: PageRequest { number: number.unsigned_abs(), size: size.unsigned_abs() },
            fields: AssetFields::default(),
        }),
        _ => Err(RestError::Invalid(entries)),
    }
}

fn time_bound(query: &QueryString<'_>, name: &'static str) -> Result<Option<TimeBound>, RestError> {
    let read = |raw| TimeBound::parse(raw).ok_or(RestError::BadFormat { name, expected: "date-time" });
    query.first_value(name).map(read).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults() {
        let query = parse_query(&QueryString::parse("page_size=&sort_order=+")).expect("fine");
        assert_eq!(query.page, PageRequest { number: 1, size: 10 });
        assert_eq!((query.order, query.number, query.inbound_number), (SortOrder::Descending, None, None));
        let number = parse_query(&QueryString::parse("number=+447700900001&channel=sms")).expect("an unencoded plus");
        assert_eq!((number.number.as_deref(), number.channel), (Some("+447700900001"), Some(Channel::Sms)));
    }

    #[test]
    fn message_only_faults_answer_alone_in_their_order() {
        let fault = |raw: &str| match parse_query(&QueryString::parse(raw)).expect_err(raw) {
            RestError::BadFormat { name, .. } => name.to_owned(),
            RestError::InvalidUntraced(message) => message.to_owned(),
            RestError::BadUid { field, .. } => field.to_owned(),
            RestError::Invalid(entries) => entries.iter().map(|e| e.field.as_ref()).collect::<Vec<_>>().join(" "),
            other => format!("{other:?}"),
        };
        let all = "page_number=x&start_time=&end_time=2026-01-01&number=&opt_out_type=&channel=&asset_id=&page_size=0&sort_order=desc";
        assert_eq!(fault(all), "page_number");
        let all = all.replace("page_number=x&", "");
        assert_eq!(fault(&all), "start_time");
        let all = all.replace("start_time=&", "");
        assert_eq!(fault(&all), "end_time");
        let all = all.replace("end_time=2026-01-01&", "");
        assert_eq!(fault(&all), INVALID_NUMBER);
        let all = all.replace("number=&", "");
        assert_eq!(fault(&all), INVALID_TYPE);
        assert_eq!(fault("opt_out_type=keyword&opt_out_type=keyword"), INVALID_TYPE);
        assert_eq!(fault("opt_out_type=keyword,web_opt_out"), INVALID_TYPE);
        assert_eq!(fault("opt_out_type=Keyword"), INVALID_TYPE);
        let all = all.replace("opt_out_type=&", "");
        assert_eq!(fault(&all), INVALID_CHANNEL);
        let all = all.replace("channel=&", "");
        assert_eq!(fault(&all), "getOptOuts.assetId");
        let all = all.replace("asset_id=&", "");
        assert_eq!(fault(&all), "getOptOuts.pageSize getOptOuts.sortOrder");
        assert_eq!(fault("page_size=1001&page_number=0"), "getOptOuts.pageNumber getOptOuts.pageSize");
    }
}
